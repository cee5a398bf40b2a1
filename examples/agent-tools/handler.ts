import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { agent, model } from './agent.ts'
import { TOOLS } from './tools.ts'
import { turn } from './turn.ts'

const Turn = z.object({ turnId: z.string(), question: z.string() })

/**
 * A turn of an agent. What the model answers is kept as well: a model that is asked again may ask for other arguments, and each
 * set of arguments is another call.
 */
export const handler = recordHandler(
  {
    name: 'agent',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Turn,
    id: ({ turnId }) => turnId,
    logger: new Logger({ serviceName: 'agent' }),
    metrics: emfMetrics(),
  },
  async ({ turnId, question }, ctx) => {
    const answer = await turn(ctx, (once) =>
      agent(
        question,
        (messages) => once('model', messages, () => model(messages)),
        ({ tool, args }) => {
          const { run, ifUnknown } = TOOLS[tool]
          return once(tool, args, ({ idempotencyKey }) => run(args, idempotencyKey), ifUnknown)
        },
      ),
    )
    await ctx.write('answer', { TableName: 'answers', Key: { turnId }, set: { answer } })
  },
)
