"""Scripted: real clients whose model is a script on loopback, for `demo --clients` and the tests of real clients."""
