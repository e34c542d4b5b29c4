package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
)

func TestJSONIsExactlyTheSummary(t *testing.T) {
	record := stressRecord(t)
	record.Manifest.Scenario.Name = hostile + "\U000e0001 <&>"
	record.Manifest.PartitionKey = hostile
	summary := verdict.Judge(record)
	var out bytes.Buffer
	require.NoError(t, report.JSON(&out, summary), "JSON")
	var back results.Summary
	decoder := json.NewDecoder(bytes.NewReader(out.Bytes()))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&back), "Decode")
	// What is no UTF-8 has no place in JSON.
	summary.Scenario = strings.ToValidUTF8(summary.Scenario, "\ufffd")
	assert.Empty(t, cmp.Diff(summary, &back), "the object (-summary +read back)")
	assert.Truef(t, !decoder.More() && strings.HasPrefix(out.String(), "{\n  \"scenario\":") && strings.HasSuffix(out.String(), "\n}\n"),
		"JSON = %.40q…; want one indented object and a line's end", out.String())
	if i := strings.IndexFunc(out.String(), func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); i >= 0 {
		t.Errorf("JSON holds %q at byte %d; want nothing that is not printable", out.String()[i:i+1], i)
	}
}

func TestJSONOfAnEmptyRunKeepsItsKeys(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.JSON(&out, verdict.Judge(&results.Record{Validity: results.Partial})), "JSON")
	var fields map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &fields), "Unmarshal")
	for _, key := range strings.Fields(`scenario target start profile seed started duration_s validity reasons state ok scheduled sent
		dropped late operations attempts ok_attempts throttled failed entities_counted entities_returned
		saturation_entities_per_second saturation_interval hottest_partition response_us service_us lag_us
		retry_waits_us phases per_operation checks verdict client_limited saturation_seconds saturation_why throttling share_throttled_reported`) {
		value, exists := fields[key]
		_, list := value.([]any)
		assert.Truef(t, exists, "the object has no key %q", key)
		assert.Equalf(t, slices.Contains([]string{"reasons", "phases", "checks", "client_limited", "throttling"}, key), list, "%s is a list", key)
		delete(fields, key)
	}
	assert.Lenf(t, fields, 0, "the object has keys beside the published ones: %v", fields)
}
