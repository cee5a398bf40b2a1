import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalCloud } from 'lineclear/local'

export const EFFECTS = ['charge', 'write', 'send'] as const
export type Effect = (typeof EFFECTS)[number]
export type Effects = Readonly<Record<Effect, (attempt: number) => Promise<unknown>>>

/** One request, and what its attempts do. */
export interface Stage {
  /** Its queue, and the key of what it writes. */
  readonly name: string
  readonly cloud: LocalCloud
  /** Made by clients of the handler's own. */
  readonly own: Effects
  /** The handler. Its first attempt stands still, makes its effects then, and fails. */
  attempt(by?: Effects, stands?: Standing): Promise<void>
  /** Resolves at `goOn`. */
  readonly overtaken: Promise<void>
  goOn(): void
  begun(): number
  /** The attempts that had the effect. */
  had(effect: Effect): Promise<readonly number[]>
}

/** Where: before its first effect, or where `by` stands still. */
type Standing = 'before' | 'inside'

/** What an attempt that was overtaken has done after all. */
export interface Late extends Readonly<Record<Effect, boolean>> {
  /** After it has failed, a copy of the request is run again, although its successor had completed it. */
  readonly freed: boolean
}

export function openStage(cloud: LocalCloud, name: string): Stage {
  const overtaken = Promise.withResolvers<void>()
  const charges: number[] = []
  let begun = 0
  const own: Effects = {
    write: (attempt) => {
      const Item = { id: { S: `${name}/${attempt}` } }
      return cloud.dynamodb.send(new PutItemCommand({ TableName: 'written', Item }))
    },
    charge: async (attempt) => charges.push(attempt),
    send: (attempt) => {
      const MessageBody = JSON.stringify({ name, attempt })
      return cloud.sqs.send(
        new SendMessageCommand({ QueueUrl: cloud.queueUrl('sent'), MessageBody }),
      )
    },
  }
  const attempts = (): readonly number[] => Array.from({ length: begun }, (_, at) => at + 1)
  return {
    name,
    cloud,
    own,
    overtaken: overtaken.promise,
    goOn: overtaken.resolve,
    begun: () => begun,
    async attempt(by = own, stands = 'before') {
      const number = (begun += 1)
      if (number === 1 && stands === 'before') await overtaken.promise
      // One that is refused does not keep it from trying the next one.
      const ends = []
      for (const effect of EFFECTS) ends.push(...(await Promise.allSettled([by[effect](number)])))
      const refused = ends.find(({ status }) => status === 'rejected')
      if (number === 1 || refused !== undefined) throw new Error('it fails', { cause: refused })
    },
    async had(effect) {
      if (effect === 'charge') return charges
      if (effect === 'send') return sentBy(cloud, name)
      const found = await Promise.all(attempts().map((attempt) => isWritten(cloud, name, attempt)))
      return attempts().filter((_, at) => found[at])
    },
  }
}

async function isWritten(cloud: LocalCloud, name: string, attempt: number): Promise<boolean> {
  const Key = { id: { S: `${name}/${attempt}` } }
  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'written', Key, ConsistentRead: true }),
  )
  return Item !== undefined
}

function sentBy(cloud: LocalCloud, name: string): readonly number[] {
  const bodies = cloud.inspectQueue('sent').ready.map(({ body }) => JSON.parse(body) as object)
  return bodies.flatMap((body) =>
    'name' in body && body.name === name && 'attempt' in body ? [Number(body.attempt)] : [],
  )
}

/** How an overtaken attempt has ended. @throws Error when the one that has overtaken it did not do everything */
export async function lateOf(
  { had, begun, name }: Stage,
  written: readonly number[] | undefined,
): Promise<Late> {
  const late: Record<Effect, boolean> = { write: false, charge: false, send: false }
  for (const effect of EFFECTS) {
    const by = effect === 'write' && written !== undefined ? written : await had(effect)
    if (!by.includes(2)) throw new Error(`${name}: attempt 2 of ${begun()} did not ${effect}`)
    late[effect] = by.includes(1)
  }
  return { ...late, freed: begun() > 2 }
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`not within a minute: ${isTrue.toString()}`)
    await sleep(20)
  }
}
