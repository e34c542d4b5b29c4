package coverage_test

func across() []row {
	const group = "Across partitions, days, keys and accounts"
	return []row{
		{91, group, guide, "A page ends where the PartitionKey changes, and its continuation token names the next partition.",
			"`token-per-partition`", "partitions of 5 entities that one query reads", "requests of a query: one for each partition", quick,
			vary(exactly[int], playing[int]("ok(list) each", "token-per-partition",
				"phases.read.traffic.operations.0.partitions=%v", "phases.read.for=5s"), 5, 20)},
	}
}
