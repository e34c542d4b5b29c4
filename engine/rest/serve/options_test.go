package serve_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest/serve"
)

func TestOptionsAreValidated(t *testing.T) {
	for _, row := range []struct {
		sentence string
		options  serve.Options
		// faults are fields and values; says is part of the first.
		faults []string
		says   string
	}{
		{"nothing at all is asked for", serve.Options{}, nil, ""},
		{"everything", serve.Options{Listen: "0.0.0.0:0", Account: "races", Key: own, Profile: "off", Set: []string{"model.partition_target=5"},
			Admin: "[::1]:0", Imports: []string{"a.csv", "-"}, Export: "b.NDJSON"}, nil, ""},
		{"the emulators' key, on this machine", serve.Options{Listen: "127.0.0.1:0", Account: "races", Key: known}, nil, ""},
		{"an address without a port", serve.Options{Listen: "127.0.0.1"}, []string{"listen 127.0.0.1"}, "HOST:PORT"},
		{"a port that is none", serve.Options{Listen: "127.0.0.1:70000"}, []string{"listen 127.0.0.1:70000"}, "70000"},
		{"all addresses with the emulators' key", serve.Options{Listen: ":0"}, []string{"listen :0"}, "known to all"},
		{"an address of another machine", serve.Options{Listen: "192.0.2.1:0"}, []string{"listen 192.0.2.1:0"}, "one of your own"},
		{"the emulators' key, given", serve.Options{Listen: ":0", Account: "races", Key: known, KeyName: "k"}, []string{"key k"}, "known to all"},
		{"an account without a key", serve.Options{Account: "races"}, []string{"key the account races"}, "base64"},
		{"a key without an account", serve.Options{Key: own}, []string{"account "}, "both or neither"},
		{"an account that cannot be", serve.Options{Account: "Races", Key: own}, []string{`account "Races"`}, "3 to 24"},
		{"a key that is none", serve.Options{Account: "races", Key: own + "!", KeyName: "k"}, []string{"key k"}, "base64"},
		{"a profile that is nearly one", serve.Options{Profile: "documentd"}, []string{"profile documentd of 4"}, "documentd"},
		{"a start that is nearly one", serve.Options{Start: "cld"}, []string{"start cld"}, "warm or cold"},
		{"a setting of a cold start after a warm one", serve.Options{Set: []string{"model.detection=10m"}}, []string{"set model.detection=10m"}, "--start cold"},
		{"a setting of a cold start", serve.Options{Start: "cold", Set: []string{"model.detection=10m"}}, nil, ""},
		{"a setting of the clients' own network", serve.Options{Set: []string{"model.client_machines=4"}}, []string{"set model.client_machines=4"}, "bring their own network"},
		{"where the clients are", serve.Options{Set: []string{"model.region=same-continent"}}, nil, ""},
		{"a region that is nearly one", serve.Options{Set: []string{"model.region=same-contnent"}}, []string{"set model.region=same-contnent"}, "did you mean"},
		{"a setting without a value", serve.Options{Set: []string{"model.seed"}}, []string{"set model.seed"}, "model.PARAMETER=value"},
		{"a setting that is nearly one", serve.Options{Set: []string{"model.partition_targt=5"}}, []string{"set model.partition_targt of all"}, "unknown"},
		{"a setting of something else", serve.Options{Set: []string{"partition_target=5"}}, []string{"set partition_target of all"}, "unknown"},
		{"a setting that cannot be", serve.Options{Set: []string{"model.partition_target=-5"}}, []string{"set model.partition_target=-5"}, "must be from"},
		{"settings that cannot be together", serve.Options{Set: []string{"model.tick=2s", "model.detection=1s"}}, []string{"set "}, "must be at least"},
		{"an admin address that others reach", serve.Options{Admin: "0.0.0.0:0"}, []string{"admin 0.0.0.0:0"}, "this machine alone"},
		{"an admin address that is none", serve.Options{Admin: "here"}, []string{"admin here"}, "HOST:PORT"},
		{"an import of no known kind", serve.Options{Imports: []string{"-", "a.csv", "key"}}, []string{"import key"}, ".jsonl, .ndjson or .csv"},
		{"an export of no known kind", serve.Options{Export: "all.json"}, []string{"export all.json"}, ".jsonl, .ndjson or .csv"},
		{"anybody's tokens, on an address that others reach", serve.Options{Listen: ":0", Account: "races", Key: own, InsecureTokens: true}, []string{"insecure-tokens "}, "this machine alone"},
		{"anybody's tokens, and an issuer's", serve.Options{InsecureTokens: true, OIDCIssuer: "https://login.example/"}, []string{"insecure-tokens "}, "one of them"},
		{"an issuer in the clear", serve.Options{OIDCIssuer: "http://login.example/"}, []string{"oidc-issuer "}, "expected https://"},
		{"an issuer that is no address", serve.Options{OIDCIssuer: "tenant"}, []string{"oidc-issuer "}, "expected an address"},
		{"one fault of each part", serve.Options{Listen: "x", Profile: "y", Admin: "z", Imports: []string{"a"}, Export: "b"},
			[]string{"listen x", "profile y of 4", "admin z", "export b"}, "HOST:PORT"},
	} {
		var got []string
		for i, err := range row.options.Validate() {
			var fault serve.Fault
			if !errors.As(err, &fault) || i == 0 && !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), own) {
				t.Errorf("%s: fault %d = %v; want %q in it", row.sentence, i, err, row.says)
			}
			what := fault.Field + " " + fault.Value
			switch {
			case len(fault.Known) == 4:
				what += " of 4"
			case len(fault.Known) > 20 && strings.HasPrefix(fault.Known[0], "model."):
				what += " of all"
			}
			got = append(got, what)
		}
		assert.Equalf(t, strings.Join(row.faults, "; "), strings.Join(got, "; "),
			"%s: Validate = %q; want %q", row.sentence, got, row.faults)
		if len(row.faults) == 0 {
			continue
		}
		_, err := serve.Open(t.Context(), row.options)
		assert.ErrorContains(t, err, row.says, row.sentence)
	}
}
