"""The engine in memory, for tests: nothing spans its parts, its index lags, its appends conflict on purpose."""
