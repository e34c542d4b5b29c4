// Package fields is what a field of a YAML file is declared with: one declaration reads
// the field, prints it, overrides it and describes it to an editor.
//
// A [Binding] ties a value of the file to a field of a Go struct: [Text], [Whole],
// [Rate], [Duration], [Truth], [Choice], [Named], an [Object] of further fields, a [ListOf] or an
// [Optional] of any of them, [Either] of several shapes. A [Binder] makes the bindings of a
// struct from the tags of its fields. [ReadTree] makes [Node]s of a file, [Binding.Read] fills the
// struct from one and [Binding.Write] makes one of the struct; [PrintTree] writes it as
// YAML. [Binding.Schema] says the same in the words of JSON Schema.
//
// What is wrong is a [Fault] with file, line and column, what was expected, and the
// nearest name for a typo; all of a file are reported at once, as [Faults].
//
// No function here panics, whatever the text holds, and
// what it may take is bounded. The package never opens a file, and knows nothing of what
// the fields mean.
package fields
