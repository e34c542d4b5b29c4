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

const explainHelp = `Explain predicts the outcome of a scenario without sending anything: how each design
spreads over partitions, the load of the hottest partition at the peak, whether inserts
go to one place, what each operation reads, what a run costs, and the findings of the
documented performance checklist.

A scenario is rehearsed on the virtual clock, with several seeds if chance could change
the answer; nothing is sent or stored. HOLDS means that the load is sustained over the
whole measured time: no operation is lost, no queue grows, and at most 0.5% of first
attempts are throttled, or a share that does not grow with the rate.

The exit code is 10 if a check of the scenario fails or, without checks, the load is not
sustained, and 12 if that is unknown: seeds disagree, or there are more operations than
the rehearsal covers.`

func (f *explainFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "explain file|name",
		Short: "Predict the outcome of a scenario without running it",
		Long:  explainHelp,
		Example: `  loadgen explain my-table.yaml
  loadgen explain my-table.yaml --use by-day
  loadgen explain stress --set model.partition_target=500`,
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
	}
	f.formFlags.bindAll(c.Flags(), f, "retry", "workers")
	completeUse(c, canonical)
	return c
}
