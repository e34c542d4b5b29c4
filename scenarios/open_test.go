package scenarios_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// written writes files into a folder of the test's own, which the test then runs in.
func written(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)))
	}
}

func TestOpenTakesNamesAndFiles(t *testing.T) {
	starter, err := scenarios.Starter("orders")
	require.NoError(t, err)
	written(t, map[string]string{"orders": string(starter), "tables/orders.yaml": string(starter), "stress": "no scenario",
		"wrong.yaml": "name: x\n", "keys.csv": "PartitionKey\na\n", "large.yaml": strings.Repeat("#\n", 3<<19) + "#\n"})
	for _, row := range []struct {
		sentence, name string
		called, folder string
		fault          string
	}{
		{"a built-in one, before a file of that name", "stress", "stress", ".", ""},
		{"a file", "orders", "orders", ".", ""},
		{"a file in a folder", "tables/orders.yaml", "orders", "tables", ""},
		{"a name that is nearly one", "strss", "", "", `"stress"`},
		{"a file that is not there", "none.yaml", "", "", "none.yaml"},
		{"a folder", "tables", "", "", "directory"},
		{"a file that is too large", "large.yaml", "", ".", "3145730 bytes"},
		{"keys in a CSV file", "keys.csv", "", "", "loadgen keys keys.csv"},
	} {
		for _, open := range []func(string) (*scenarios.Scenario, string, error){scenarios.Open, scenarios.OpenContested} {
			s, folder, err := open(row.name)
			switch {
			case row.fault != "":
				assert.Falsef(t, s != nil || err == nil || !strings.Contains(err.Error(), row.fault) || !errors.Is(err, fields.ErrInvalid) && !errors.Is(err, scenarios.ErrUnknown),
					"%s: Open(%s) = a scenario %t, %v; want %s", row.sentence, row.name, s != nil, err, row.fault)
			case err != nil || s.Name != row.called || folder != row.folder:
				t.Errorf("%s: Open(%s): in %s, %v; want %s in %s", row.sentence, row.name, folder, err, row.called, row.folder)
			}
		}
	}
	text, err := scenarios.Source("wrong.yaml")
	require.NoError(t, err)
	assert.Equal(t, "name: x\n", string(text), "Source(wrong.yaml)")
	for name, word := range map[string]string{"large.yaml": "3145730 bytes", "none.yaml": "no such file"} {
		text, err := scenarios.Source(name)
		assert.Empty(t, text, name)
		assert.ErrorContains(t, err, word, name)
	}
	s, _, err := scenarios.Open("wrong.yaml")
	assert.Nil(t, s, "Open(wrong.yaml)")
	assert.ErrorAs(t, err, new(fields.Faults), "Open(wrong.yaml)")
}

// A design that cannot serve the scenario keeps it from being opened, unless it is to be
// held against others.
func TestOpenContestedTakesWhatOneDesignCannotServe(t *testing.T) {
	written(t, map[string]string{"tables/choice.yaml": string(contestedWith(t, "hour", ""))})
	_, _, err := scenarios.Open("tables/choice.yaml")
	assert.ErrorAs(t, err, new(fields.Faults), "a scenario whose design cannot serve it")
	s, folder, err := scenarios.OpenContested("tables/choice.yaml")
	assert.Truef(t, err == nil && folder == "tables" && s.Use == "hour" && len(s.Obstacles("hour")) != 0,
		"OpenContested: in %s, %v; want a scenario that the design hour cannot serve", folder, err)
}

func TestReadTakesAStream(t *testing.T) {
	starter, err := scenarios.Starter("orders")
	require.NoError(t, err)
	if s, err := scenarios.Read("stdin", strings.NewReader(string(starter))); err != nil || s.Name != "orders" {
		t.Errorf("Read: %v; want the scenario", err)
	}
	endless := io.MultiReader(strings.NewReader(string(starter)), iotest.DataErrReader(strings.NewReader(strings.Repeat("#\n", 1<<20))))
	_, err = scenarios.Read("stdin", endless)
	assert.ErrorContains(t, err, "stdin:1:1: ", "a stream without end is too large")
	broken := errors.New("pipe closed")
	_, err = scenarios.Read("stdin", iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken, "a broken stream")
}

func TestFilesOf(t *testing.T) {
	written(t, map[string]string{"tables/b.yml": "", "tables/a.yaml": "", "tables/notes.txt": "", "tables/more/c.yaml": "",
		"empty/notes.txt": "", "stress/a.yaml": ""})
	for _, row := range []struct {
		sentence, name string
		want           []string
		fault          string
	}{
		{"a folder: the scenarios in it, in order, and none below it", "tables", []string{"tables/a.yaml", "tables/b.yml"}, ""},
		{"a file", "tables/notes.txt", []string{"tables/notes.txt"}, ""},
		{"nothing that is there", "none", []string{"none"}, ""},
		{"a built-in scenario, before a folder of that name", "stress", []string{"stress"}, ""},
		{"a folder without scenarios", "empty", nil, ".yaml"},
	} {
		files, err := scenarios.FilesOf(row.name)
		assert.Falsef(t, !slices.Equal(files, row.want) || (err != nil) != (row.fault != "") || err != nil && !strings.Contains(err.Error(), row.fault),
			"%s: FilesOf(%s) = %q, %v; want %q %s", row.sentence, row.name, files, err, row.want, row.fault)
	}
}

// Paths of a scenario count from its folder, wherever one is.
func TestReadFromCountsFromAFolder(t *testing.T) {
	text, err := scenarios.Starter("orders")
	require.NoError(t, err)
	const list = "list: [placed, paid, sent]\n    weights: [1, 2, 7]"
	require.Containsf(t, string(text), list, "the starter has no %q", list)
	filed := strings.Replace(string(text), list, "csv: {file: states.csv, column: state}", 1)
	written(t, map[string]string{"tables/orders.yaml": filed, "tables/states.csv": "state\nplaced\nsent\n"})
	s, folder, err := scenarios.Open("tables/orders.yaml")
	require.NoError(t, err)
	assert.NoErrorf(t, s.ReadFrom(folder), "the file beside the scenario, in %s", folder)
	absolute, err := filepath.Abs("tables/states.csv")
	require.NoError(t, err)
	require.NoError(t, s.Set("attributes.state.csv.file", absolute))
	assert.NoError(t, s.ReadFrom("nowhere"), "a path from the root is read from anywhere")
	require.NoError(t, s.Set("attributes.state.csv.file", "states.csv"))
	err = s.ReadFrom(".")
	assert.ErrorAs(t, err, new(fields.Faults), "another folder")
	assert.ErrorContains(t, err, "no such file", "another folder")
}

func TestBeginWritesASoundScenarioAndItsSchema(t *testing.T) {
	for _, row := range []struct{ sentence, file, called string }{
		{"the starter's own file", "my-table.yaml", "my-table"},
		{"a file", "orders.yaml", "orders"},
		{"a file whose name is none for a scenario", "2026.yaml", "my-table"},
		{"a file whose name means something to a replacement", "$1.yaml", "my-table"},
	} {
		t.Chdir(t.TempDir())
		if err := scenarios.Begin(row.file, false); err != nil {
			t.Errorf("%s: Begin(%s) = %v; want files", row.sentence, row.file, err)
			continue
		}
		s, _, err := scenarios.Open(row.file)
		assert.Truef(t, err == nil && s.Name == row.called, "%s: %v; want a scenario %s", row.sentence, err, row.called)
		if text, err := scenarios.Source(row.file); err != nil || !strings.HasPrefix(string(text), scenarios.SchemaHeader+"\n") {
			t.Errorf("%s: %v, in\n%.200s\nwant it under the schema's header", row.sentence, err, text)
		}
		if schema, err := os.ReadFile(scenarios.SchemaFile); err != nil || string(schema) != string(scenarios.Schema()) {
			t.Errorf("%s: %v, %d bytes in %s; want the schema", row.sentence, err, len(schema), scenarios.SchemaFile)
		}
	}
}

func TestBeginOverwritesOnlyWhatItMay(t *testing.T) {
	schema := string(scenarios.Schema())
	written(t, map[string]string{"a.yaml": ""})
	for _, row := range []struct {
		sentence, there, text, file string
		overwrite                   bool
		after, faults               string
	}{
		{"the file is there", "a.yaml", "precious", "a.yaml", false, "precious", "a.yaml"},
		{"the schema is there, and another", scenarios.SchemaFile, "precious", "b.yaml", false, "precious", scenarios.SchemaFile},
		{"so are both", scenarios.SchemaFile, "precious", "a.yaml", false, "precious", "a.yaml " + scenarios.SchemaFile},
		{"the schema is there, and the same", scenarios.SchemaFile, schema, "c.yaml", false, schema, ""},
		{"the schema is another, by force", scenarios.SchemaFile, "old", "d.yaml", true, schema, ""},
		{"a folder", "a.yaml", "precious", ".", true, "precious", "directory"},
		{"a folder that is not there", "a.yaml", "precious", "nowhere/e.yaml", true, "precious", "nowhere/e.yaml nowhere/" + scenarios.SchemaFile},
	} {
		require.NoError(t, os.WriteFile(row.there, []byte(row.text), 0o644))
		err := scenarios.Begin(row.file, row.overwrite)
		words, said := strings.Fields(row.faults), fmt.Sprint(err)
		assert.Truef(t, (err != nil) == (len(words) > 0) && (err == nil || strings.Count(said, "\n")+1 == len(words)),
			"%s: Begin(%s, %t) = %s; want faults of %q", row.sentence, row.file, row.overwrite, said, words)
		for _, word := range words {
			assert.Containsf(t, said, word, "%s: Begin(%s, %t)", row.sentence, row.file, row.overwrite)
		}
		if text, err := os.ReadFile(row.there); err != nil || string(text) != row.after {
			t.Errorf("%s: %v, %s holds %.40q; want %.40q", row.sentence, err, row.there, text, row.after)
		}
	}
	for _, name := range []string{"b.yaml", "f.yaml"} {
		assert.NoFileExists(t, name, "something was wrong")
	}
}
