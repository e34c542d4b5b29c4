// Package suggest proposes key designs for a scenario by the documents' rule: of the
// properties that its queries know, one, two or more make the PartitionKey, buckets where
// one key bears too much, and copies under other keys for whoever asks otherwise.
//
// What the documents say of insert-heavy streams is a rule without exception here: a key
// that begins with what goes with time is proposed in buckets only, the bucket first.
//
// [Designs] looks at the operations of a sound scenario with their weights and latency
// needs and at how the values of its attributes are distributed, and returns a [Proposal]:
// candidates in the order in which they seem best, each with its reasons, and what was
// left out and why. [Proposal.Scenario] is the scenario with these designs, ready for a
// contest, and [Proposal.Document] says all of it to a person.
//
// The caller owes a scenario that was found sound and has event traffic. Nothing is run,
// and nothing is claimed of a candidate beyond what its keys come to: which of them is
// best, a contest says.
package suggest
