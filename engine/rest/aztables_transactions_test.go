package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
)

// actions makes a transaction: KIND ROW NUMBER, one after another.
func actions(t *testing.T, partition string, script ...string) (all []aztables.TransactionAction) {
	t.Helper()
	kinds := map[string]aztables.TransactionType{"add": aztables.TransactionTypeAdd, "delete": aztables.TransactionTypeDelete,
		"merge": aztables.TransactionTypeUpdateMerge, "replace": aztables.TransactionTypeUpdateReplace,
		"insert-merge": aztables.TransactionTypeInsertMerge, "insert-replace": aztables.TransactionTypeInsertReplace}
	for _, line := range script {
		words := strings.Fields(line)
		one := aztables.TransactionAction{ActionType: kinds[words[0]],
			Entity: []byte(fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q,"Number":%s}`, partition, words[1], words[2]))}
		if len(words) > 3 {
			one.IfMatch = pointer(azcore.ETag(words[3]))
		}
		all = append(all, one)
	}
	return all
}

// numbers shows the entities of a partition: ROW=NUMBER, tags left out.
func numbers(t *testing.T, table *aztables.Client, partition string) string {
	t.Helper()
	text := ""
	all, _ := entitiesOf(t, table, &aztables.ListEntitiesOptions{Filter: pointer("PartitionKey eq '" + partition + "'")})
	for _, e := range all {
		text += fmt.Sprintf("%s=%v ", e.RowKey, e.Properties["Number"])
	}
	return strings.TrimSpace(text)
}

// TestStandardClientTransactions has each begin with the rows 1 to 3.
func TestStandardClientTransactions(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := a.table(t, "Races")
	const before = "1=1 2=2 3=3"
	hundred := make([]string, 101)
	for i := range hundred {
		hundred[i] = fmt.Sprintf("insert-merge %d 7", 1000+i)
	}
	const stale = ` W/"datetime'2020-01-01T00%3A00%3A00Z'"`
	for i, row := range []struct {
		name   string
		script []string
		want   string
		code   aztables.TableErrorCode
		index  int
	}{
		{"one of each", []string{"add 4 40", "merge 1 10", "replace 2 20", "delete 3 0", "insert-merge 5 50", "insert-replace 6 60"}, "1=10 2=20 4=40 5=50 6=60", "", 0},
		{"an update without a tag is an upsert", []string{"merge 8 80", "replace 9 90"}, "1=1 2=2 3=3 8=80 9=90", "", 0},
		{"an update of whatever is there", []string{"merge 1 10 *", "replace 2 20 *"}, "1=10 2=20 3=3", "", 0},
		{"an insert of what is there", []string{"add 4 40", "add 2 20"}, before, aztables.EntityAlreadyExists, 1},
		{"an update of what is missing", []string{"add 4 40", "merge 1 10 *", "merge 9 90 *"}, before, aztables.ResourceNotFound, 2},
		{"a delete of what is missing", []string{"delete 9 0", "add 4 40"}, before, aztables.ResourceNotFound, 0},
		{"another version", []string{"add 4 40", "replace 1 10" + stale}, before, aztables.UpdateConditionNotSatisfied, 1},
		{"a row twice", []string{"merge 1 10", "add 4 40", "merge 1 11"}, before, aztables.InvalidDuplicateRow, 2},
		{"a hundred and one", hundred, before, aztables.InvalidInput, 99},
	} {
		partition := fmt.Sprint("p", i)
		must(table.SubmitTransaction(t.Context(), actions(t, partition, "add 1 1", "add 2 2", "add 3 3"), nil))(t)
		_, tag := got(t, table, partition, "1")
		_, err := table.SubmitTransaction(t.Context(), actions(t, partition, row.script...), nil)
		if row.code != "" {
			// The client makes its error of the reply as a whole: 202.
			failed := refused(0, err)(t, row.name, 202, row.code)
			assert.ErrorContains(t, failed, fmt.Sprintf(`"value":"%d:`, row.index), row.name)
			_, now := got(t, table, partition, "1")
			assert.Equalf(t, tag, now, "%s: tag of the first row", row.name)
		} else {
			assert.NoError(t, err, row.name)
		}
		assert.Equal(t, row.want, numbers(t, table, partition), row.name)
	}
	// A tag that is right is good in a transaction as well.
	_, tag := got(t, table, "p3", "1")
	must(table.SubmitTransaction(t.Context(), actions(t, "p3", "merge 1 100 "+string(tag), "delete 2 0"), nil))(t)
	assert.Equalf(t, "1=100 3=3", numbers(t, table, "p3"), "with the tag %s", tag)
	must(table.SubmitTransaction(t.Context(), actions(t, "hundred", hundred[:100]...), nil))(t)
	assert.Equal(t, 100, strings.Count(numbers(t, table, "hundred"), "=7"), "a hundred: entities")
	mixed := append(actions(t, "full", "add 1 1"), actions(t, "half", "add 1 1")...)
	refused(table.SubmitTransaction(t.Context(), mixed, nil))(t, "two partitions", 202, "CommandsInBatchActOnDifferentPartitions")
	refused(a.service.NewClient("Boats").SubmitTransaction(t.Context(), actions(t, "full", "add 1 1"), nil))(t, "a table that is missing", 202, aztables.TableNotFound)
}
