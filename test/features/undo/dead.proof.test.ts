import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { emptyAll } from '../../flow/flowHarness.ts'
import { operatorHarness, startCloud } from '../../tools/cli/operatorHarness.ts'
import { describeDeadRequests } from './deadRequests.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const COUNTED = ['pear', 'fig', 'shipped', 'line:1', 'line:2', 'notes']

/** A table of its own for each test; the counts begin at zero. */
async function open() {
  const ids = COUNTED.map((id) => ({ TableName: 'counts', Key: { id: { S: id } } }))
  await Promise.all(ids.map((each) => cloud.dynamodb.send(new DeleteItemCommand(each))))
  return operatorHarness(cloud)
}

/** More than any of them makes until it has decided. */
const CALLS = [0, 1, 2, 3, 4, 5, 6, 7]

describe('on an engine of DynamoDB', () => {
  describeDeadRequests(() => ({ cloud, open }), CALLS)
})
