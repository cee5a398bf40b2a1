import * as DYNAMODB from '../../limits/dynamodb.ts'
import type { TableKeys } from '../../limits/wrongKey.ts'

/** As `tableDefinition()` has them. */
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
