// Package values says which values an attribute of an entity takes, and how often: what
// is even, what is skewed, and what a file says.
//
// Name an [Attribute] and give it a [Distribution]: [List], [Uniform] and [Sequence] for
// what is even, [Zipf], [HotSet] and [Partitions] for what is not, [Gaussian], [Latest],
// and [CSV] for what a file says, which [CSV.Read] reads beforehand. What is wrong with
// one is a [Fault] with its path.
//
// The value of an entity is a pure function of the seed, the attribute's name and the
// entity's number. The package never reads a clock and keeps no state between draws.
package values
