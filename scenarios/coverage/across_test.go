package coverage_test

func across() []row {
	const group = "Across partitions, days, keys and accounts"
	return []row{
		{91, group, guide, "A page ends where the PartitionKey changes, and its continuation token names the next partition.",
			"`token-per-partition`", "partitions of 5 entities that one query reads", "requests of a query: one for each partition", quick,
			vary(exactly[int], playing[int]("ok(list) each", "token-per-partition",
				"phases.read.traffic.operations.0.partitions=%v", "phases.read.for=5s"), 5, 20)},
		{92, group, patterns, "With a day of 24 counts in each entity, the last 24 hours are read from two entities and combined by the client.",
			"`rolling-day`", "hour of yesterday at which the 24 hours begin", "entities counted by a read: those of the days that it reaches", quick,
			vary(func(hour int) band { return exactly((hour+23)/24 + 1) }, playing[int]("counted(one-range) each", "rolling-day",
				"phases.read.operations=[{name: one-range, workflow: series-get, with: {slots: 48, per-entity: 24, at: days, by: range, first: %v, window: 24}}]"), 0, 15)},
	}
}
