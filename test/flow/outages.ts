import { SendMessageBatchCommand, type SendMessageBatchCommandInput } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import type { Item, StoreKey, Update } from '../../src/library/protocol/store/store.ts'
import type { FlowHarness } from './flowHarness.ts'

export const OUTAGE = { kind: 'failed', error: new Error('injected') } as const

/** The next write of an item that `which` accepts is not carried out. */
export function failing(
  { store }: FlowHarness,
  verb: 'create' | 'update',
  which: (item: Item) => boolean,
): void {
  const { create, update } = store
  const fails = once(which)
  if (verb === 'create')
    store.create = async (items) => (items.some(fails) ? items.map(() => OUTAGE) : create(items))
  else
    store.update = async (updates) =>
      updates.some((each) => fails(written(each))) ? updates.map(() => OUTAGE) : update(updates)
}

function written({ set, addTo }: Update): Item {
  return { ...set, ...(addTo && { [addTo.field]: addTo.member }) }
}

/** The next read of an item that `which` accepts gets no answer. */
export function unread({ store }: FlowHarness, which: (key: StoreKey) => boolean): void {
  const { read } = store
  const fails = once(which)
  store.read = async (keys, ...options) => {
    const outcomes = await read(keys, ...options)
    return outcomes.map((outcome, nth) => {
      const key = keys[nth]
      return key !== undefined && fails(key) ? OUTAGE : outcome
    })
  }
}

/** What happens before a batch of messages is sent. When it throws, the batch is refused. */
export function sqsWith(
  { sqs }: LocalCloud,
  before: (batch: SendMessageBatchCommandInput) => unknown,
): LocalCloud['sqs'] {
  const send = async (command: unknown): Promise<unknown> => {
    if (command instanceof SendMessageBatchCommand) await before(command.input)
    return sqs.send(command as never)
  }
  return Object.assign(Object.create(sqs) as LocalCloud['sqs'], { send })
}

function once<T>(which: (each: T) => boolean): (each: T) => boolean {
  let open = true
  return (each) => {
    const hit = open && which(each)
    open &&= !hit
    return hit
  }
}
