package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
)

// newCheck returns the verb that tells all that is wrong with scenario files.
func newCheck(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "check file…",
		Short: "Tell all that is wrong with scenario files",
		Long: `Check reads scenario files, and the files that they name, without running anything.
What is wrong is told on standard output, a line for each fault:

  file:line:column: what is wrong; what was expected

A sound file is told in one line, which says what it holds. A folder stands for the
.yaml files in it, - for standard input, and the name of a built-in scenario for that.
The exit code is 2 where anything is wrong.`,
		Example: `  loadgen scenarios check my-table.yaml
  loadgen scenarios check tables/ other.yaml
  loadgen scenarios check - < my-table.yaml`,
		ValidArgsFunction: someScenarios,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s takes files, folders or -, and got none", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return checkAll(args, c.InOrStdin(), stdout) },
	}
}

// checkAll checks what was named, in that order.
func checkAll(names []string, stdin io.Reader, stdout io.Writer) error {
	code := codeOk
	for _, name := range names {
		files, err := filesOf(name)
		if err != nil {
			code = codeUsage
			if _, err := fmt.Fprintln(stdout, oneLine(err)); err != nil {
				return err
			}
		}
		for _, file := range files {
			line, sound := checkOne(file, stdin)
			if !sound {
				code = codeUsage
			}
			if _, err := fmt.Fprintln(stdout, line); err != nil {
				return err
			}
		}
	}
	if code != codeOk {
		return verdictError{code}
	}
	return nil
}

// stdinName is what messages call standard input.
const stdinName = "stdin"

// filesOf returns the file of a name, or those of a folder.
func filesOf(name string) ([]string, error) {
	info, err := os.Stat(name)
	if name == standardInput || err != nil || !info.IsDir() || slices.Contains(scenarios.Library(), name) {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be read: %w", name, reason(err))
	}
	var files []string
	for _, e := range entries {
		if ending := filepath.Ext(e.Name()); !e.IsDir() && (ending == ".yaml" || ending == ".yml") {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder %s has no scenario; expected files that end in .yaml", name)
	}
	return files, nil
}

// checkOne returns what is to be said of one file, a line for each fault.
func checkOne(name string, stdin io.Reader) (said string, isSound bool) {
	var s *scenarios.Scenario
	folder := "."
	var err error
	if name == standardInput {
		var text []byte
		name = stdinName
		if text, err = io.ReadAll(io.LimitReader(stdin, mostScenario)); err == nil {
			s, err = scenarios.Parse(name, text)
		}
	} else {
		s, folder, err = openScenario(name)
	}
	if err == nil {
		err = readFiles(s, folder)
	}
	var faults scenarios.Faults
	switch {
	case errors.As(err, &faults):
		return faults.Error(), false
	case err != nil:
		return oneLine(err), false
	default:
		return name + ": sound: " + contents(s), true
	}
}

// contents says in one line what a scenario holds.
func contents(s *scenarios.Scenario) string {
	designs := counted(max(1, len(s.Designs)), "design")
	if len(s.Designs) > 0 {
		designs += " (" + s.Use + " in use)"
	}
	var phases []string
	for i := range s.Phases {
		phases = append(phases, s.Phases[i].Name)
	}
	return fmt.Sprintf("%s has %s, %s, %s (%s), %s", s.Name, counted(len(s.Attributes), "attribute"), designs,
		counted(len(phases), "phase"), strings.Join(phases, ", "), counted(len(s.Expect), "expectation"))
}

// counted writes how many of something there are.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
