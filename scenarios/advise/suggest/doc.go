// Package suggest proposes key designs for a scenario by the documents' rule: one, two or more of the
// properties that its queries know form the PartitionKey, with buckets if one key gets too much load, and
// copies under other keys for other queries.
//
// The documents' advice on insert-heavy streams is strict here: a key that begins with a time is proposed
// in buckets only, the bucket first.
//
// [Designs] reads the operations of a valid scenario with their weights and latency needs, and the
// distributions of its attributes. It returns a [Proposal]: candidates, the most promising first, with
// reasons, and rejected designs with theirs. [Proposal.Scenario] is the scenario with these designs, ready
// for a contest, and [Proposal.Document] is for people.
//
// The scenario must be valid and have event traffic. Nothing is run, and all figures of a candidate are
// derived from its keys: only a contest decides which one is best.
package suggest
