// Package campaign makes stages of a scenario: create the table, load it, offer the
// traffic, count, verify what was written, drop.
//
// A [Campaign] strings these stages together and has a runner of package drive carry
// them out, one after the other. With a [Find], what the phases would offer gives way to
// the search for the highest rate that holds, whose steps a [Finder] chooses. Before
// each step a target is offered half as much again for half a second, which drains what it
// has saved up while idle: that part is recorded, not reported, judged or retried, and left
// out where a response time is asked for. What a
// campaign comes to before it runs, [Campaign.Forecast], [Campaign.Footprint] and
// [Campaign.Preview] read from one dry run over the stages, none of which is sent.
//
// The caller owes a scenario that was found valid, and a recorder of package results that
// is finished after the last stage.
//
// The package never knows which target is driven, never waits, and draws all chance from
// named streams of the scenario's seed: which entity operation k is about is a function
// of k, whoever sends it and when.
//
// stopConditions ends a phase of traffic once a budget of the scenario is exceeded or the load is
// stable. retryLimits sets the retries, timeouts and rate limits of each kind of operation.
package campaign
