package main

import (
	"cmp"
	_ "embed" // help.txt
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/scenarios/run"
)

// helpText has a section for each verb and topic: a line "== " with its path and arguments, a sentence, indented
// examples, and details. A word with @ stands for the section of that name; @flags says what each flag does,
// @renamed what flags of before are called now (verb, names, flag), @peers what those of other load generators are.
//
//go:embed help.txt
var helpText string

// maxShownFlags is how many flags the help of a verb shows; `loadgen help VERB --all` shows all.
const maxShownFlags = 15

// verbGroups are the headings of the verbs, and the topics of help as the last.
var verbGroups = [...]struct{ heading, verbs string }{
	{"Test keys", "stress run simulate explain keys"},
	{"Choose keys and retries", "contest scenarios backoff"},
	{"Check the traffic of your application", "serve logs"},
	{"Read and compare results", "report runs compare gate"},
	{"Prepare this tool", "doctor calibrate version"},
	{"Read about", topicNames},
}

// topicNames are the pages of help that belong to no verb.
const topicNames = "model events environment exit-codes"

// helpSection returns a section of the help: its path with the arguments, and its text.
func helpSection(path string) (use, text string) {
	for section := range strings.SplitSeq("\n"+helpText, "\n== ") {
		if use, text, _ = strings.Cut(section, "\n"); use == path || strings.HasPrefix(use, path+" ") {
			return use, strings.TrimRight(text, "\n")
		}
	}
	panic("loadgen: there is no help of " + path)
}

var sectionName = regexp.MustCompile(`@[a-z]+`)

// newVerb returns a verb with its usage, sentence, examples and details, and the flags that fill the fields of options,
// which may be nil, but those in except. Where it has --use, that is completed by the designs of the scenario.
func newVerb(path string, options any, c *cobra.Command, except ...string) *cobra.Command {
	use, text := helpSection(path)
	c.Use = use[strings.LastIndex(path, " ")+1:]
	c.Short, text, _ = strings.Cut(text, "\n\n")
	if strings.HasPrefix(text, "  ") {
		c.Example, text, _ = strings.Cut(text, "\n\n")
	}
	c.Long = sectionName.ReplaceAllStringFunc(text, func(name string) string {
		_, text := helpSection(name)
		return text
	})
	if c.Args == nil {
		c.Args = refuseArguments
	}
	if options != nil {
		bind(c.Flags(), options, except...)
		if c.Flags().Lookup("use") != nil {
			completeUse(c)
		}
	}
	return c
}

// describeFlag returns what the flag with a name does, empty if the help does not say.
func describeFlag(name string) string { return flagTexts()[name] }

// flagTexts returns what each flag does, by its name.
var flagTexts = sync.OnceValue(func() map[string]string {
	texts := make(map[string]string)
	_, list := helpSection("@flags")
	for line := range strings.SplitSeq(list, "\n") {
		name, text, _ := strings.Cut(line, ": ")
		texts[name] = strings.ReplaceAll(text, "*", "`")
	}
	return texts
})

// writeHelp explains a verb: in detail with all of its flags, or with those that are used most.
func writeHelp(to io.Writer, c *cobra.Command, all bool) error {
	var page strings.Builder
	if slices.Contains(strings.Fields(topicNames), c.Name()) {
		page.WriteString(c.Long + "\n")
	} else {
		sentence := c.Short + "."
		if !c.HasParent() {
			sentence = c.Long
		}
		page.WriteString(sentence + "\n")
		if c.Example != "" {
			fmt.Fprintf(&page, "\nExamples:\n%s\n", c.Example)
		}
		fmt.Fprintf(&page, "\nUsage: %s\n", c.UseLine())
		if c.Long != "" && all && c.HasParent() {
			fmt.Fprintf(&page, "\n%s\n", c.Long)
		}
		writeVerbs(&page, c)
		if c.HasParent() {
			writeFlags(&page, c, all)
		} else {
			writeCommonFlags(&page)
		}
	}
	_, err := io.WriteString(to, page.String())
	return err
}

// writeVerbs lists the verbs of the program in groups, or those of a verb.
func writeVerbs(page *strings.Builder, c *cobra.Command) {
	var names []string
	for _, part := range c.Commands() {
		if part.IsAvailableCommand() {
			names = append(names, part.Name())
		}
	}
	groups := verbGroups[:]
	if c.HasParent() && len(names) > 0 {
		groups = []struct{ heading, verbs string }{{"Verbs", strings.Join(names, " ")}}
	} else if len(names) == 0 {
		return
	}
	for _, group := range groups {
		fmt.Fprintf(page, "\n%s:\n", group.heading)
		for name := range strings.FieldsSeq(group.verbs) {
			if part, _, err := c.Find([]string{name}); err == nil && part != c {
				fmt.Fprintf(page, "  %-*s  %s\n", c.NamePadding(), name, part.Short)
			}
		}
	}
}

// flagColumns is how wide the lines about flags are.
const flagColumns = 100

// commonFlags are those of most verbs, which the help of the program shows once.
const commonFlags = "quiet verbose"

// writeFlags lists the flags of a verb, all of them in groups, or those that are used most, and names the command
// that shows all.
func writeFlags(page *strings.Builder, c *cobra.Command, all bool) {
	number := 0
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			number++
		}
	})
	isLong, more := number > maxShownFlags, "details"
	if isLong {
		more = fmt.Sprintf("all %d, and details", number)
	}
	more += ": loadgen help " + strings.TrimPrefix(c.CommandPath(), "loadgen ") + " --all"
	hasMore := !all && (isLong || c.Long != "")
	groups := flagGroups(c, all, isLong)
	for _, group := range groups {
		if hasMore {
			group.heading += " (" + more + ")"
		}
		fmt.Fprintf(page, "\n%s:\n%s", group.heading, group.flags.FlagUsagesWrapped(flagColumns))
	}
	if len(groups) == 0 && hasMore {
		fmt.Fprintf(page, "\nD%s\n", strings.TrimPrefix(more, "d"))
	}
}

// flagGroup is a heading of help, with its flags.
type flagGroup struct {
	heading string
	flags   *pflag.FlagSet
}

// flagGroups returns the flags of a verb: all, in groups if they are many, or those that are used most.
func flagGroups(c *cobra.Command, all, isLong bool) (groups []flagGroup) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		isRare := slices.Contains(strings.Fields(commonFlags), f.Name) || isLong && slices.Contains(f.Annotations[tagRare], "yes")
		if f.Hidden || f.Name == "help" || isRare && !all {
			return
		}
		heading := "Flags"
		if all && isLong {
			heading = cmp.Or(strings.Join(f.Annotations[tagGroup], ""), heading)
		}
		at := slices.IndexFunc(groups, func(group flagGroup) bool { return group.heading == heading })
		if at < 0 {
			at = len(groups)
			groups = append(groups, flagGroup{heading, pflag.NewFlagSet("", pflag.ContinueOnError)})
			groups[at].flags.SortFlags = false
		}
		groups[at].flags.AddFlag(f)
	})
	return groups
}

// writeCommonFlags lists the flags of most verbs.
func writeCommonFlags(page *strings.Builder) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.BoolP("help", "h", false, "show the examples and the flags of a verb; details: loadgen help VERB --all")
	for name := range strings.FieldsSeq(commonFlags) {
		flags.Bool(name, false, describeFlag(name))
	}
	flags.BoolP("version", "v", false, "print the version of loadgen")
	fmt.Fprintf(page, "\nFlags of most verbs:\n%s", flags.FlagUsages())
}

// variables are the flags that have a variable: LOADGEN_UI is the default of --ui.
var variables = [...]string{"format", "verbose", "quiet", "ui", "no-charts", "metrics-listen", "seed"}

// runsVariable is the folder of the runs, in place of results/runs.
const runsVariable = "LOADGEN_RUNS"

func variableOf(flag string) string {
	return "LOADGEN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment gives the flags that were not typed what the environment says.
func fromEnvironment(c *cobra.Command) error {
	for _, name := range variables {
		f, value := c.Flags().Lookup(name), os.Getenv(variableOf(name))
		if f == nil || f.Changed || value == "" {
			continue
		}
		set := f.Value.Set
		if name == "seed" { // which a scenario has, too
			set = func(value string) error { return c.Flags().Set(name, value) }
		}
		if err := set(value); err != nil {
			return usageError{fmt.Errorf("%s=%s: expected %s", variableOf(name), value, expectedBy(f, value))}
		}
	}
	return nil
}

// advice says which variable stands behind a fault of a flag, if one does, and by which flag
// what could not be written goes to another folder.
func advice(c *cobra.Command, fault string, err error) string {
	said := ""
	for _, name := range variables {
		f := c.Flags().Lookup(name)
		if value := os.Getenv(variableOf(name)); f != nil && value != "" && f.Value.String() == value && strings.Contains(fault, "--"+name) {
			said = fmt.Sprintf(" (%s=%s)", variableOf(name), value)
			break
		}
	}
	switch {
	case !errors.Is(err, run.ErrFolder):
	case c.Flags().Lookup("accept") != nil && !c.Flags().Changed("against"):
		said += "; choose another folder with --baselines"
	case c.Flags().Lookup("out") != nil:
		said += "; choose another folder with --out"
	}
	return said
}

// modelHelp describes every parameter of the model, from the table of the engine.
func modelHelp() string {
	documented, err := model.New(model.Documented)
	if err != nil {
		panic("loadgen: " + err.Error())
	}
	regions := nearest.NamesOf(model.Regions(), func(r model.Region) string { return fmt.Sprintf("%s %v", r.Name, r.RoundTrip) })
	var page strings.Builder
	fmt.Fprintf(&page, `The embedded engine is a model of the service. Scenarios set parameters by model: {NAME: VALUE},
commands by --set model.NAME=VALUE; model: {profile: NAME} uses a profile: %s.
These are the values of %s, with bounds and sources; your own values are assumptions.
docs/model.md compares the model with measurements. region: NAME is the location of the clients,
which sets round_trip: %s.

`, strings.Join(model.Profiles(), ", "), model.Documented, strings.Join(regions, ", "))
	for _, p := range documented.Parameters() {
		least, greatest := p.Bounds()
		unit := " " + string(p.Unit)
		if p.Unit == model.Duration { // which its text names
			unit = ""
		}
		fmt.Fprintf(&page, "  %s = %s%s (%s to %s, %s): %s\n", p.Name, p.Text(), unit, least, greatest, p.From, p.About)
	}
	return strings.TrimSuffix(page.String(), "\n")
}

// newVersion returns the verb that says what was built.
func newVersion(stdout io.Writer) *cobra.Command {
	return newVerb("version", nil, &cobra.Command{
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "loadgen %s, commit %s, %s %s/%s, model %d\n",
				run.Version(), cmp.Or(run.Commit(), "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH, model.Version)
			return err
		},
	})
}

// newDocs returns the verb that writes the manual.
func newDocs() *cobra.Command {
	return newVerb("docs", nil, &cobra.Command{
		Hidden: true,
		Args:   takes(2, 2, "man or markdown, and a folder; got %d arguments"),
		RunE: func(c *cobra.Command, args []string) error {
			forms := map[string]func(root *cobra.Command, folder string) error{"markdown": doc.GenMarkdownTree,
				"man": func(root *cobra.Command, folder string) error {
					return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "loadgen " + run.Version(), Manual: "loadgen"}, folder)
				}}
			if forms[args[0]] == nil {
				return usageError{errors.New(nearest.Unknown("form", args[0], []string{"man", "markdown"}))}
			}
			c.Root().DisableAutoGenTag = true
			err := os.MkdirAll(args[1], 0o777)
			if err == nil {
				err = forms[args[0]](c.Root(), args[1])
			}
			if err != nil {
				return usageError{fmt.Errorf("%s: %w", args[1], err)}
			}
			return nil
		},
	})
}
