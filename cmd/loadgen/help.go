package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/scenarios/run"
)

// mostShown is how many flags help shows of a verb at most; `loadgen help VERB --all` shows all.
const mostShown = 15

// verbGroups are what the verbs are shown under, by the question that they answer.
var verbGroups = []struct{ name, verbs string }{
	{"Does my key hold?", "stress keys run simulate explain"},
	{"Which key, which retries?", "contest scenarios backoff"},
	{"Is my application's traffic sound?", "serve logs"},
	{"Results", "report runs compare gate"},
	{"The tool", "calibrate doctor version help"},
	{"Topics", "model events environment exit-codes"},
}

// writeHelp explains a verb: with all of its flags, or with those that are used most.
func writeHelp(to io.Writer, c *cobra.Command, all bool) error {
	about := strings.TrimSpace(cmp.Or(c.Long, c.Short))
	if !all {
		// Paragraphs that begin with a flag are of those that are not used most.
		paragraphs := slices.DeleteFunc(strings.Split(about, "\n\n"), func(one string) bool { return strings.HasPrefix(one, "--") })
		about = strings.Join(paragraphs, "\n\n")
	}
	var page strings.Builder
	page.WriteString(about + "\n")
	if c.Runnable() || c.HasAvailableSubCommands() {
		fmt.Fprintf(&page, "\nUsage:\n  %s\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(&page, "\nExamples:\n%s\n", c.Example)
	}
	title := ""
	groups := nearest.Of(c.Groups(), func(one *cobra.Group) string { return one.ID })
	for _, group := range append(groups, "") {
		for _, part := range c.Commands() {
			if part.GroupID != group || !part.IsAvailableCommand() {
				continue
			}
			if heading := cmp.Or(group, "Verbs:"); heading != title {
				fmt.Fprintf(&page, "\n%s\n", heading)
				title = heading
			}
			fmt.Fprintf(&page, "  %-*s  %s\n", c.NamePadding(), part.Name(), part.Short)
		}
	}
	if c.HasAvailableLocalFlags() {
		writeFlags(&page, c, all)
	}
	_, err := io.WriteString(to, page.String())
	return err
}

// flagColumns is how wide the lines about flags are.
const flagColumns = 100

// writeFlags writes the flags of a verb, in groups where they are many.
func writeFlags(page *strings.Builder, c *cobra.Command, all bool) {
	number := 0
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			number++
		}
	})
	if number <= mostShown+1 { // and --help
		fmt.Fprintf(page, "\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(flagColumns))
		return
	}
	groups := make(map[string]*pflag.FlagSet)
	var order []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		rare := slices.Contains(f.Annotations[tagRare], "yes")
		if group := strings.Join(f.Annotations[tagGroup], ""); group != "" && !f.Hidden && (all || !rare) {
			if groups[group] == nil {
				groups[group] = pflag.NewFlagSet("", pflag.ContinueOnError)
				groups[group].SortFlags = false
				order = append(order, group)
			}
			groups[group].AddFlag(f)
		}
	})
	for _, group := range order {
		fmt.Fprintf(page, "\n%s:\n%s", group, groups[group].FlagUsagesWrapped(flagColumns))
	}
	if !all {
		fmt.Fprintf(page, "\n`loadgen help %s --all` shows all of the %d flags.\n", strings.TrimPrefix(c.CommandPath(), "loadgen "), number)
	}
}

// variables are the flags that have a variable: LOADGEN_UI is the default of --ui.
var variables = [...]string{"format", "verbose", "quiet", "ui", "no-charts", "metrics-listen", "seed"}

// runsVariable is the folder of the runs, in place of results/runs.
const runsVariable = "LOADGEN_RUNS"

const environmentHelp = `Environment variables apply if a flag is missing, and override the scenario:

  LOADGEN_FORMAT          --format, of verbs that print in several forms
  LOADGEN_VERBOSE         --verbose, true or false
  LOADGEN_QUIET           --quiet, true or false
  LOADGEN_UI              --ui: auto, plain, none or json
  LOADGEN_NO_CHARTS       --no-charts, true or false
  LOADGEN_METRICS_LISTEN  --metrics-listen
  LOADGEN_SEED            --seed, overrides that of the scenario
  LOADGEN_RUNS            the folder of runs instead of results/runs

With --otlp only, the variables of OpenTelemetry's exporter apply:
OTEL_EXPORTER_OTLP_ENDPOINT (for --otlp env), _HEADERS (for credentials, which have no flag),
_PROTOCOL, _TIMEOUT, _COMPRESSION, _CERTIFICATE and others;
OTEL_METRIC_EXPORT_INTERVAL (default 5,000 ms); OTEL_RESOURCE_ATTRIBUTES.

NO_COLOR, CI and TERM=dumb disable escape sequences. A connection string is read only from the
variable of --target env:NAME.`

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
	regions := nearest.Of(model.Regions(), func(r model.Region) string { return fmt.Sprintf("%s %v", r.Name, r.RoundTrip) })
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
		fmt.Fprintf(&page, "\n  %s = %s%s   %s to %s, %s\n      %s\n", p.Name, p.Text(), unit, least, greatest, p.From, p.About)
	}
	return page.String()
}

// newVersion returns the verb that says what was built.
func newVersion(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which build this is",
		Long: `Version prints the build: its commit, with a plus sign if the sources differed, the Go version,
the platform, and the version of the partition model. Do not compare figures of different model
versions.`,
		Example: "  loadgen version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "loadgen %s, commit %s, %s %s/%s, model %d\n",
				run.Version(), cmp.Or(run.Commit(), "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH, model.Version)
			return err
		},
	}
}

// newDocs returns the verb that writes the manual.
func newDocs() *cobra.Command {
	return &cobra.Command{
		Use: "docs man|markdown FOLDER", Hidden: true, Short: "Write the manual: pages for man, or Markdown",
		Long: `Docs writes a page for each verb and topic into a folder, which it creates if necessary:
for man, section 1, or Markdown. SOURCE_DATE_EPOCH sets the date of man pages.`,
		Example: "  loadgen docs man share/man/man1\n  loadgen docs markdown site/verbs",
		Args:    takes(2, 2, "man or markdown, and a folder; got %d arguments"),
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
	}
}
