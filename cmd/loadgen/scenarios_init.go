package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
)

// starter is what init writes: a sound scenario with a comment at each section on
// what to change.
//
//go:embed starter.yaml
var starter string

// starterName is what the starter calls itself.
const starterName = "my-table"

// initFlags are what a user typed after `loadgen scenarios init`.
type initFlags struct {
	name  string
	force bool
}

func (f *initFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "init [file]",
		Short: "Write the beginning of a scenario for your own table",
		Long: `Init writes a scenario to begin with, ` + starterName + `.yaml unless another file is named. It is
sound as it stands: check, explain, simulate and run take it at once, and each of its
sections says in a comment what to change for a table of your own. Beside it lies the
JSON Schema by which editors complete and check it.

No file is overwritten without --force.`,
		Example: `  loadgen scenarios init
  loadgen scenarios init tables/orders.yaml --name orders`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one file, and %q is another", c.CommandPath(), args[1])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			file := starterName + ".yaml"
			if len(args) == 1 {
				file = args[0]
			}
			if err := emptyFlag(c.Flags()); err != nil {
				return err
			}
			return f.init(file, c.Flags().Changed("name"), stdout)
		},
	}
	c.Flags().StringVar(&f.name, "name", "", "what the scenario is called (default: as the file is)")
	c.Flags().BoolVar(&f.force, "force", false, "overwrite files that are there")
	return c
}

// init writes the scenario and the schema beside it.
func (f *initFlags) init(file string, named bool, stdout io.Writer) error {
	text, err := f.text(file, named)
	if err != nil {
		return err
	}
	schema := filepath.Join(filepath.Dir(file), scenarios.SchemaFile)
	if err := errors.Join(f.free(file, nil), f.free(schema, scenarios.Schema())); err != nil {
		return usageError{err}
	}
	for _, one := range []struct {
		name string
		text []byte
	}{{schema, scenarios.Schema()}, {file, text}} {
		if err := os.WriteFile(one.name, one.text, 0o644); err != nil {
			return usageError{fmt.Errorf("%s cannot be written: %w", one.name, reason(err))}
		}
	}
	_, err = fmt.Fprintf(stdout, `%s is the beginning of a scenario; %s beside it is for editors. Next:

  loadgen scenarios check %s    # is the file sound?
  loadgen explain %s            # what will it do?
  loadgen simulate %s           # run it on the virtual clock
  loadgen run %s                # run it in real time
`, file, scenarios.SchemaFile, file, file, file, file)
	return err
}

// text returns the starter under its name. A file whose own name is none for a
// scenario leaves the starter's.
func (f *initFlags) text(file string, named bool) ([]byte, error) {
	name := f.name
	if !named {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	text := []byte(scenarios.SchemaHeader + "\n" + strings.Replace(starter, "\nname: "+starterName+"\n", "\nname: "+name+"\n", 1))
	s, err := scenarios.Parse(file, text)
	switch {
	case err == nil && s.Name == name:
		return text, nil
	case named:
		return nil, usageError{fmt.Errorf("--name %s: expected a letter, then letters, digits, '_' or '-', at most 64", name)}
	default:
		return []byte(scenarios.SchemaHeader + "\n" + starter), nil
	}
}

// free reports a file that is there already, unless it holds the same or may be
// overwritten, and a folder that is not.
func (f *initFlags) free(file string, same []byte) error {
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s cannot be written: there is no folder %s", file, filepath.Dir(file))
	}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && f.force, err == nil && same != nil && bytes.Equal(text, same):
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", file, reason(err))
	default:
		return fmt.Errorf("%s is there already; expected another name, or --force to overwrite it", file)
	}
}
