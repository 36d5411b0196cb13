"""The engine in memory, for tests: its index lags and its appends conflict on purpose."""
