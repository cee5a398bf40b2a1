import { expect, test } from 'vitest'
import { newControls } from '../../../../src/tools/console/dev/controls.ts'
import type { LocalEvent } from '../../../../src/testing/local/index.ts'

type Controls = ReturnType<typeof newControls>

let invocation = 0

/** An invocation that makes these calls. */
function invoke(controls: Controls, ...actions: readonly string[]): void {
  invocation += 1
  const of = { queue: 'orders', function: 'orders', invocation, awsRequestId: `a${invocation}` }
  const events: readonly LocalEvent[] = [
    { ...of, type: 'begun', at: 1, messages: [] },
    ...actions.map((action, call): LocalEvent => ({
      ...of,
      type: 'call',
      at: 1,
      began: 1,
      call,
      attempt: 1,
      action,
      words: action,
      outcome: 'ended',
    })),
    { ...of, type: 'ended', at: 2, outcome: 'answered', failures: [] },
  ]
  for (const event of events) controls.observe(event)
}

function offered(controls: Controls): readonly string[] {
  return controls.callsOf('orders').map(({ action }) => action)
}

test('a duplicate, which makes few calls, does not take away the calls where a kill can strike', () => {
  const controls = newControls(1)
  invoke(controls, 'PutItem', 'UpdateItem')
  invoke(controls, 'GetItem')
  expect(offered(controls)).toEqual(['PutItem', 'UpdateItem'])
})

test('handlers that were loaded again are asked for their own calls, and the old ones stay until then', () => {
  const controls = newControls(1)
  invoke(controls, 'PutItem', 'UpdateItem')
  controls.loaded()
  expect(offered(controls)).toEqual(['PutItem', 'UpdateItem'])
  invoke(controls, 'GetItem')
  expect(offered(controls)).toEqual(['GetItem'])
})
