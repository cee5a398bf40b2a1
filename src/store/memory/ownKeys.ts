import * as DYNAMODB from '../../base/limits/dynamodb.ts'
import type { TableKeys } from '../../base/limits/wrongAction.ts'

/** The keys of the framework's table, as in `tableDefinition()`. */
export const OWN_KEYS: TableKeys = {
  key: [
    { name: 'pk', type: 'S', bytes: DYNAMODB.partitionKeyBytes },
    { name: 'sk', type: 'S', bytes: DYNAMODB.sortKeyBytes },
  ],
  indexKeys: [
    { name: 'statusShard', type: 'S', bytes: DYNAMODB.partitionKeyBytes },
    { name: 'dueAt', type: 'N', bytes: DYNAMODB.sortKeyBytes },
  ],
}
