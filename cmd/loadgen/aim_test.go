package main

import (
	"slices"
	"testing"

	"loadgen/target/azure"
)

// Only Cosmos DB says 429 where it is busy.
func TestRetryCodesAreThoseOfTheTarget(t *testing.T) {
	at := func(url string) azure.Endpoint {
		endpoint, err := azure.ParseURL(url, "races", nil)
		if err != nil {
			t.Fatal(err)
		}
		return endpoint
	}
	for _, row := range []struct {
		name string
		aim  aim
		want []int
	}{
		{"the embedded engine", aim{}, nil},
		{"in process", aim{kind: aimInProcess}, nil},
		{"Azure Storage", aim{kind: aimRemote, endpoint: at("https://races.table.core.windows.net")}, nil},
		{"Cosmos DB", aim{kind: aimRemote, endpoint: at("https://races.table.cosmos.azure.com:443")}, []int{429}},
	} {
		if got := row.aim.retryCodes(); !slices.Equal(got, row.want) {
			t.Errorf("%s: retryCodes() = %v; want %v", row.name, got, row.want)
		}
	}
}
