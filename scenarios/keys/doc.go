// Package keys turns a key design into entities: PartitionKey and RowKey
// designs as pure generators, and the skew that they yield.
//
// Describe the raw material as a list of [Attribute], say with a [Template] how
// the two keys and each property are formed from it, collect that in [Options],
// look at [Options.Validate], and build a [Generator] with [New]. Entity n is
// then [Generator.Key] and [Generator.Properties] of n; an [Event] that came about
// while the load ran is [Generator.KeyOf] and [Generator.PropertiesOf] it.
// [Generator.Pinned] keeps all further entities in one partition; [Generator.Part]
// yields the properties of a partial update. [Generator.Design] puts the same
// entities under other keys, and [Generator.Plan] says what a design makes of a
// query whose reader knows some of the attributes. The file of a [CSV] is read by
// [CSV.Read] before there is a generator.
//
// The caller numbers the entities: a number always means the same entity, in any order of calls.
//
// The package never keeps state between calls, never reads a clock, and draws
// all chance from named streams of one seed.
//
// # Values
//
// An [Attribute] has a [Distribution] of values: [ValueList], [Uniform] and [Sequence] are even,
// [Zipf], [HotSet] and [Partitions] skewed, [Gaussian] and [Latest] concentrated, and [CSV] is read
// from a file by [CSV.Read]. A [ValueFault] has the path of what is wrong with one. The value of an
// entity is a pure function of the seed, the name of the attribute and the number of the entity.
//
// # Sketches
//
// [DistinctKeys] and [Moment] describe a stream of keys in constant memory: the number of keys, and how unevenly
// their weights are distributed.
// Each estimate has its error. DistinctKeys and Moment need uniform 64-bit hashes of the keys. They
// are not safe for concurrent use.
package keys
