package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
)

// A service tells in its name what it holds load to, and where partitions may exceed that.
func TestServerNameOfEachProfile(t *testing.T) {
	for _, row := range []struct {
		sentence, profile string
		settings          []string
		want              string
	}{
		{"limits held hard", model.Documented, nil, "loadgen/1 (partition_target=2000; account_target=20000)"},
		{"a profile that is told to", model.Documented, []string{"headroom=1500"}, "loadgen/1 (headroom=1500; partition_target=2000; account_target=20000)"},
		{"no limit, and none to exceed", model.Headroom, []string{"partition_target=0"}, "loadgen/1 (partition_target=none; account_target=20000)"},
		{"no limits", model.Off, nil, "loadgen/1 (partition_target=none; account_target=none)"},
	} {
		s := resttest.New(t, resttest.Options{Profile: row.profile, Settings: row.settings})
		assert.Equalf(t, row.want, s.Do("GET", "/contoso/Tables", "").Header().Get("Server"), "%s: Server", row.sentence)
	}
}
