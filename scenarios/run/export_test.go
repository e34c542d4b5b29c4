package run

// Tier is tier, for tests from outside of the package.
func Tier(few, all int) int { return tier(few, all) }
