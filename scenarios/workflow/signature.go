package workflow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"

	"loadgen/engine/entity"
)

// signatureOf returns a shared access signature that reads a user's keys for a while, in
// the service's form. The account and its key are made up: no service takes it.
func signatureOf(table string, key entity.Key, covers string) string {
	const version, permissions, expiry, protocol = "2019-02-02", "r", "2030-01-01T00:00:00Z", "https"
	row := ""
	if covers == "entity" {
		row = key.Row
	}
	resource := "/table/account/" + strings.ToLower(table)
	sum := hmac.New(sha256.New, []byte("the key of nobody's account"))
	sum.Write([]byte(strings.Join([]string{permissions, "", expiry, resource, "", "", protocol, version,
		key.Partition, row, key.Partition, row}, "\n")))
	v := url.Values{"sv": {version}, "sp": {permissions}, "se": {expiry}, "spr": {protocol}, "tn": {table},
		"spk": {key.Partition}, "epk": {key.Partition}, "sig": {base64.StdEncoding.EncodeToString(sum.Sum(nil))}}
	if row != "" {
		v["srk"], v["erk"] = []string{row}, []string{row}
	}
	return v.Encode()
}
