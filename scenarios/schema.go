package scenarios

import "loadgen/scenarios/fields"

// SchemaFile is the name under which the schema stands beside a scenario, and
// SchemaHeader the first line of a scenario that has an editor look there. The
// path is relative, so that a folder can be moved or checked in as it is: whoever
// writes the header writes the file beside it, with what [Schema] returns.
const (
	SchemaFile   = "scenario.schema.json"
	SchemaHeader = "# yaml-language-server: $schema=" + SchemaFile
)

// Schema returns the scenario format as a JSON Schema (draft 2020-12), made of the
// same bindings that read a file. It accepts every scenario that [Parse] accepts,
// and refuses unknown and missing fields, values of the wrong kind and numbers out
// of bounds. What follows from several values together, from the text of a template
// or from how a value is typed is left to [Parse]. The bytes are the caller's and
// always the same.
func Schema() []byte {
	root := blank().binding().Schema()
	root.Dialect = "https://json-schema.org/draft/2020-12/schema"
	root.ID = "urn:loadgen:scenario"
	root.Title = "loadgen scenario"
	root.Description = "One load test of a table: what it holds, how its keys are formed, and which phases run on it."
	return fields.JSONText(root.Defined())
}
