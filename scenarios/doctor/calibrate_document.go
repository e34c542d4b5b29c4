package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loadgen/report/document"
)

// calibrationResult is the JSON form of the result: the profile, its file, and whether all experiments were carried out.
type calibrationResult struct {
	*Profile
	File  string `json:"file"`
	Whole bool   `json:"whole"`
}

// Document returns the result; file is where the profile is stored.
func (o *Calibration) Document(file string) *document.Document {
	p := o.Profile
	where := o.Where
	if p.Server != "" {
		where += " (" + p.Server + ")"
	}
	subtitle := fmt.Sprintf("%s · %s · %s requests · %v", where, p.On.UTC().Format(time.DateOnly), document.Count(p.Requests),
		p.Lasted.Round(time.Second))
	a := document.Claimed("", fmt.Sprintf("%s learnt", document.Counted(len(p.Values), "value was", "values were")), "", "", "")
	if limit, found := p.Parameter("partition_target"); found {
		rate, _ := amount(limit.Value)
		a = document.Claimed("", "a partition is limited to", document.Count(rate), "entities/s", "")
		a.Beside = "from " + limit.Low + " to " + limit.High
	}
	switch {
	case p.Kind == EmulatorProfile:
		a.Says = append(a.Says, "An emulator, not the service.")
	case p.Kind != ServiceProfile:
		a.Says = append(a.Says, "The target does not identify itself.")
	}
	switch {
	case errors.Is(o.Ended, context.Canceled):
		a.Says = append(a.Says, "Interrupted: results so far.")
	case o.Ended != nil:
		a.Says = append(a.Says, "Ended early: results so far.")
	}
	if file != "" {
		a.Says = append(a.Says, "Profile: "+file+"; --profile "+file+" uses it.")
	}
	d := &document.Document{Title: "calibrate", Subtitle: subtitle, Answer: a, Data: calibrationResult{p, file, o.Ended == nil}}
	var gaps, names []string
	for _, one := range p.Unlearnt {
		gaps, names = append(gaps, one.What+": "+one.Why), append(names, one.What)
	}
	d.Screen = []document.Block{document.TableOf("values", "Model parameters", p.Values).Without("by")}
	if len(names) > 0 {
		d.Show(document.Facts{Lines: []string{"not learnt: " + document.Enumerated(names)}})
	}
	d.Add("values", "Model values", document.TableOf("values", "Values, 95% intervals", p.Values))
	d.Add("figures", "Other figures", document.TableOf("figures", "Figures without parameter", p.Figures))
	d.Add("unlearnt", "Not measured", document.List{Items: gaps})
	return d
}
