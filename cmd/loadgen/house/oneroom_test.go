package house_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// runRoom is the one package that puts runs together.
const runRoom = "scenarios/run"

// makings are the functions that only [runRoom] may name, by package, each with what it
// does. The packages themselves may, since they name them without the package.
var makings = map[string]map[string]string{
	"results":            {"NewRecorder": "makes a recorder"},
	"scenarios/campaign": {"NewCampaign": "makes a campaign"},
	"target":             {"NewInProcess": "opens a target"},
	"target/azure":       {"New": "opens a target"},
	"target/queueblob":   {"OpenBlobs": "opens a target", "OpenQueues": "opens a target"},
}

// sealing is a call of a method Seal in a file that imports results: what the receiver
// is cannot be told from one package alone.
const sealing = "results.Recorder.Seal"

// exceptions are the rooms that may do one of these things besides [runRoom], each with
// its reason. One that is no longer needed is a fault.
var exceptions = map[string]map[string]string{
	"scenarios/doctor":   {"target/azure.New": "it visits a service, to which it sends no load"},
	"scenarios/campaign": {"results.NewRecorder": "what is done after a record could not be written is recorded where nobody reads it"},
	"scenarios/advise":   {"scenarios/campaign.NewCampaign": "a campaign that is never run says what it would send"},
	"scenarios/capture":  {"results.NewRecorder": "outside traffic is no run", sealing: "outside traffic is no run"},
}

func oneRoomRules() []rule {
	return []rule{{
		name:  "only scenarios/run opens targets, makes campaigns and seals records",
		check: checkOneRoom,
		broken: []snippet{
			{"the command makes a campaign", oneFile("cmd/loadgen/x.go", "import \"loadgen/scenarios/campaign\"\nvar _, _ = campaign.NewCampaign(campaign.Options{})"), "cmd/loadgen makes a campaign by scenarios/campaign.NewCampaign"},
			{"a function value under another name", oneFile("scenarios/series/x.go", "import d \"loadgen/scenarios/campaign\"\nvar start = d.NewCampaign"), "scenarios/series makes a campaign"},
			{"a client of the wire", oneFile("scenarios/series/x.go", "import \"loadgen/target/azure\"\nfunc f(o azure.Options) { azure.New(o) }"), "scenarios/series opens a target by target/azure.New"},
			{"the engine, called directly", oneFile("scenarios/series/x.go", "import \"loadgen/target\"\nvar _ = target.NewInProcess(nil, \"a\", nil)"), "target.NewInProcess"},
			{"an account's queues", oneFile("scenarios/series/x.go", "import \"loadgen/target/queueblob\"\nvar _, _ = queueblob.OpenQueues(s, 1)"), "target/queueblob.OpenQueues"},
			{"a recorder", oneFile("report/x.go", "import \"loadgen/results\"\nvar r, err = results.NewRecorder(nil, results.Manifest{})"), "report makes a recorder by results.NewRecorder"},
			{"a record is sealed", oneFile("cmd/loadgen/x.go", "import \"loadgen/results\"\nfunc f(r *results.Recorder) { r.Seal(nil) }"), "cmd/loadgen seals a record by results.Recorder.Seal"},
			{"a record is sealed in a room of a like path", oneFile("scenarios/run/x/x.go", "import \"loadgen/results\"\nfunc f(r *results.Recorder) { r.Seal(nil) }"), "scenarios/run/x seals a record"},
			{"an exception is for what it names", oneFile("scenarios/advise/x.go", "import \"loadgen/results\"\nvar r, err = results.NewRecorder(nil, results.Manifest{})"), "scenarios/advise makes a recorder"},
		},
		sound: []snippet{
			{"the room itself", oneFile("scenarios/run/x.go", "import (\n\"loadgen/results\"\n\"loadgen/scenarios/campaign\"\n)\nfunc f(r *results.Recorder) { campaign.NewCampaign(campaign.Options{}); r.Seal(nil) }"), ""},
			{"where it is defined", oneFile("scenarios/campaign/x.go", "func NewCampaign() {}\nfunc f() { NewCampaign() }"), ""},
			{"a test", oneFile("target/x_test.go", "import \"loadgen/target/azure\"\nvar _, _ = azure.New(azure.Options{})"), ""},
			{"another New of the same name", oneFile("report/x.go", "import \"example.org/azure\"\nvar _ = azure.New()"), ""},
			{"a cipher seals too", oneFile("scenarios/workflow/x.go", "import \"crypto/cipher\"\nfunc f(a cipher.AEAD) { a.Seal(nil, nil, nil, nil) }"), ""},
			{"an exception", exceptionsBut(""), ""},
		},
	}, {
		name:  "what else may open, make or seal does so, or is no exception",
		check: checkExceptions,
		broken: []snippet{
			{"a recorder that is gone", exceptionsBut("scenarios/campaign"), "the exception of scenarios/campaign for results.NewRecorder"},
		},
		sound: []snippet{{"all are needed", exceptionsBut(""), ""}},
	}}
}

// exceptionsBut is a module in which all rooms but one do what the exceptions allow them.
func exceptionsBut(missing string) map[string]string {
	files := map[string]string{}
	for room, allowed := range exceptions {
		body := ""
		if _, records := allowed["results.NewRecorder"]; records {
			body += "import \"loadgen/results\"\nvar r, err = results.NewRecorder(nil, results.Manifest{})\n"
		}
		if _, seals := allowed[sealing]; seals {
			body += "func f() { r.Seal(nil) }\n"
		}
		if _, makes := allowed["scenarios/campaign.NewCampaign"]; makes {
			body += "import \"loadgen/scenarios/campaign\"\nvar c, err = campaign.NewCampaign(campaign.Options{})\n"
		}
		if _, visits := allowed["target/azure.New"]; visits && room != missing {
			maps.Copy(files, oneFile(room+"/visits.go", "import \"loadgen/target/azure\"\nvar t, err = azure.New(azure.Options{})\n"))
		}
		if room != missing {
			maps.Copy(files, oneFile(room+"/x.go", body))
		}
	}
	return files
}

// eachMaking calls with every place where code opens, makes or seals: by which function,
// and what that does.
func (h *house) eachMaking(call func(r *room, at ast.Node, by, does string)) {
	h.eachNode(func(r *room, s *source, n ast.Node) {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return
		}
		pkg, qualified := r.imported(s.ast, selector.X)
		pkg, ours := strings.CutPrefix(pkg, moduleName)
		does := makings[pkg][selector.Sel.Name]
		switch {
		case ours && does != "":
			call(r, selector, pkg+"."+selector.Sel.Name, does)
		case !qualified && selector.Sel.Name == "Seal" && knowsRecords(s.ast):
			call(r, selector, sealing, "seals a record")
		}
	})
}

func knowsRecords(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"`+moduleName+`results"` })
}

func checkOneRoom(h *house) (faults []string) {
	h.eachMaking(func(r *room, at ast.Node, by, does string) {
		if _, allowed := exceptions[r.path][by]; r.path != runRoom && !allowed {
			faults = append(faults, fmt.Sprintf("%s: %s %s by %s, which is for %s alone; have it carry out a plan", h.at(at), r.path, does, by, runRoom))
		}
	})
	return faults
}

func checkExceptions(h *house) (faults []string) {
	done := map[string]bool{}
	h.eachMaking(func(r *room, _ ast.Node, by, _ string) { done[r.path+" for "+by] = true })
	for _, room := range slices.Sorted(maps.Keys(exceptions)) {
		for _, by := range slices.Sorted(maps.Keys(exceptions[room])) {
			if !done[room+" for "+by] {
				faults = append(faults, fmt.Sprintf("nothing needs the exception of %s for %s; take it away", room, by))
			}
		}
	}
	return faults
}
