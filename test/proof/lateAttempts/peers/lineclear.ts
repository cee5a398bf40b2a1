import { type RecordContext, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { quietLogger } from '../../../testing/local/helpers.ts'
import type { Effects, Stage } from '../stage.ts'
import { onManagedInstances } from './onManagedInstances.ts'
import type { Peer } from './peer.ts'

export const lineclear: Peer = {
  name: 'Lineclear',
  packages: [],
  better: '',
  play: (stage) => play(stage, (ctx) => stage.attempt(effectsOf(stage, ctx))),
}

/** The first attempt stands still between `ctx` and the outside system. */
export const insideOnce: Peer = {
  name: 'Lineclear, inside `ctx.call`',
  packages: [],
  better: '',
  play: async (stage) => {
    const keys = new Set<string>()
    await play(stage, (ctx) => {
      const charge: Effects['charge'] = (attempt) =>
        ctx.call('charge', async ({ idempotencyKey }) => {
          keys.add(idempotencyKey)
          if (attempt === 1) await stage.overtaken
          await stage.own.charge(attempt)
        })
      return stage.attempt({ ...effectsOf(stage, ctx), charge }, 'inside')
    })
    if (keys.size !== 1) throw new Error(`the provider was given ${keys.size} keys, not one`)
  },
}

function play(stage: Stage, handler: (ctx: RecordContext) => Promise<void>): Promise<void> {
  const { name, cloud } = stage
  const options = {
    name,
    store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
    clients: { sqs: cloud.sqs },
    id: () => name,
    logger: quietLogger(),
  }
  return onManagedInstances(
    stage,
    recordHandler(options, async (_, ctx) => handler(ctx)),
  )
}

function effectsOf({ name, cloud, own }: Stage, ctx: RecordContext): Effects {
  return {
    charge: (attempt) => ctx.call('charge', () => own.charge(attempt)),
    write: (attempt) => {
      const Key = { id: `${name}/${attempt}` }
      return ctx.write('write', { TableName: 'written', Key, put: {} })
    },
    send: async (attempt) => ctx.send(cloud.queueUrl('sent'), { name, attempt }),
  }
}
