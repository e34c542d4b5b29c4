package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"loadgenbench/process"
)

// The whole commands that are measured.
const (
	whatStress   = "stress, an attempt"
	whatSimulate = "simulate, both profiles"
	whatContest  = "contest foot-race"
	whatProgram  = "this program"
)

// commands measures whole commands, once each: they take minutes.
func (b *bench) commands(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp("", "loadgen-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program, err := os.Stat(b.Program)
	if err != nil {
		return err
	}
	b.report.add(Figure{Cell: Cell{GroupCommands, whatProgram, "", ofProgram}, Unit: "MB"}, []float64{float64(program.Size()) / 1e6})
	for _, one := range []struct {
		what string
		args []string
		// unit and by say the unit of CPU: seconds, or µs of each attempt.
		unit string
		by   func(output []byte) (float64, error)
	}{
		{whatStress, []string{"stress", "--format", "json"}, "µs CPU", attemptsOf},
		{whatSimulate, []string{"simulate"}, "s CPU", nil},
		{whatContest, []string{"contest", "foot-race"}, "s CPU", nil},
	} {
		b.taken.look(b.Clock)
		b.Tell(fmt.Sprintf("%s: loadgen %s", GroupCommands, one.args[0]))
		args := append(one.args, "--quiet", "--out", filepath.Join(folder, one.args[0]))
		used, err := process.Run(ctx, b.Clock, b.Program, args...)
		if err != nil {
			return err
		}
		value := used.CPU.Seconds()
		if one.by != nil {
			attempts, err := one.by(used.Output)
			if err != nil {
				return fmt.Errorf("loadgen %s: %w", one.args[0], err)
			}
			value = value * 1e6 / attempts
		}
		b.report.add(Figure{Cell: Cell{GroupCommands, one.what, "", ofProgram}, Unit: one.unit}, []float64{value})
		b.report.add(Figure{Cell: Cell{GroupCommands, one.what + ", as long", "", ofProgram}, Unit: "s"}, []float64{used.Lasted.Seconds()})
	}
	return nil
}

// attemptsOf returns the number of attempts in the summary of a run.
func attemptsOf(output []byte) (float64, error) {
	var summary struct {
		Attempts float64 `json:"attempts"`
	}
	err := json.Unmarshal(output, &summary)
	if err == nil && summary.Attempts <= 0 {
		err = fmt.Errorf("no attempt reported")
	}
	return summary.Attempts, err
}
