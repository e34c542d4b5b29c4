package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results/catalog"
)

func TestParseAge(t *testing.T) {
	for _, row := range []struct {
		text string
		want time.Duration
	}{{"30d", 720 * time.Hour}, {"2w", 336 * time.Hour}, {"0.5d", 12 * time.Hour}, {"12h", 12 * time.Hour}, {"1h30m", 90 * time.Minute}} {
		got, err := catalog.ParseAge(row.text)
		assert.Truef(t, err == nil && got == row.want, "ParseAge(%q) = %v, %v; want %v", row.text, got, err, row.want)
	}
	for _, text := range []string{"", "d", "30", "-1d", "0d", "0h", "-5h", "NaNd", "Infd", "1e300d", "200000d", "1e-30d", "30 d", "d30"} {
		_, err := catalog.ParseAge(text)
		assert.ErrorIs(t, err, catalog.ErrAge, text)
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		text string
		want time.Time
	}{
		{"2026-03-08", time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
		{"2026-03-08T03:00:00Z", time.Date(2026, 3, 8, 3, 0, 0, 0, time.UTC)},
		{"1h", now.Add(-time.Hour)}, {"7d", now.AddDate(0, 0, -7)},
	} {
		got, err := catalog.ParseSince(row.text, now)
		assert.Truef(t, err == nil && got.Equal(row.want), "ParseSince(%q) = %v, %v; want %v", row.text, got, err, row.want)
	}
	_, err := catalog.ParseSince("soon", now)
	assert.ErrorIs(t, err, catalog.ErrAge, "no instant")
}
