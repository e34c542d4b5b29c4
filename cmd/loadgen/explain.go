package main

import (
	"io"

	"github.com/spf13/cobra"

	explanation "loadgen/scenarios/advise"
)

// explainFlags are what a user typed after `loadgen explain`.
type explainFlags struct {
	formFlags
	Choice choiceFlags `group:"Scenario"`
	Price  priceFlag   `group:"Scenario"`
}

func (f *explainFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	return newVerb("explain", f, &cobra.Command{
		ValidArgsFunction: oneScenario,
		Args:              takesOne(),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := f.Choice.open(args[0], "model.partition_target=500", stderr)
			if err != nil {
				return err
			}
			s, err := f.Choice.read(c.Flags(), d, nil)
			if err != nil {
				return err
			}
			price, err := f.Price.forecast()
			if err != nil {
				return err
			}
			told, err := explanation.Explain(c.Context(), explanation.Options{Scenario: s, Read: d.files.Read, Price: price})
			if err != nil {
				return usageError{err}
			}
			return f.finish(told.Document(), outcome{failed: told.Ok != nil && !*told.Ok, untold: told.Ok == nil && told.Why != ""}, stdout)
		},
	}, "retry", "workers")
}
