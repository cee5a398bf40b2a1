import { writePause } from '../../../src/library/entries/sweeper/pause/pauseRow.ts'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import type { Paused } from './world.ts'

export function pausedRow({ queue, function: name, state, since, until }: Paused): Item & StoreKey {
  return writePause({
    id: 'p',
    mapping: `uuid-${queue}`,
    state,
    queue: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
    function: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    names: {},
    by: 'ann',
    why: 'the bank is down',
    since,
    until,
  })
}
