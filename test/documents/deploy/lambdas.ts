import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../readme/documents.ts'

/** Handlers that are shown, and not deployed by serverless.yml: why not. */
export const NOT_DEPLOYED: Readonly<Record<string, string>> = {
  'examples/account-bookings/handler.handler':
    'a consumer like others, and a stack has 500 resources at most',
  'examples/agent-tools/handler.handler':
    'a consumer like others, and a stack has 500 resources at most',
  'examples/assistants/refunds.handler': 'its page says what its template lacks',
  'examples/cdk/orders.handler': 'the CDK app beside it deploys it',
  'examples/cdk/refunds.handler': 'lineclear init writes what deploys it',
  'examples/commonjs/handler.handler': 'bundles are ES modules; this shows the other kind',
  'examples/durable/handler.handler': 'its executions run on this machine',
  'examples/durable/onboard.handler': 'its executions run on this machine',
  'examples/eventbridge/scans.handler':
    'a stack has at most 500 resources; a rule of the default bus is deployed',
  'examples/fair-queue/handler.imports':
    'a stack has at most 500 resources; any queue is a fair one',
  'examples/job-status/handler.exports':
    'a stack has at most 500 resources; its API is a function like payments-api',
  'examples/late-writes/handler.handler': 'its bucket is a server on this machine',
  'examples/quick-start/flow.pack': 'the longer chain-lambdas and external-callback are deployed',
  'examples/quick-start/flow.answered': 'the longer external-callback is deployed',
  'examples/quick-start/flow.close': 'the longer chain-lambdas and external-callback are deployed',
  'examples/payments-api/statement.statementOf': 'a job in a container, not a Lambda',
  'examples/quick-start/handler.handler': 'its payment provider is only declared',
  'examples/reconcile/handler.handler':
    'a consumer like others, and a stack has 500 resources at most',
  'examples/testing/lambda.handler': 'shows how a handler is made to be tested',
  'examples/tutorial/orders.handler': 'the tutorial runs on this machine',
}

const HANDLER =
  /export const (\w+)(?:: [^=]+)? = (?:recordHandler|writeHandler|invocationHandler|sweepHandler|idempotent|middyjs|\w+\.stageHandler|\w+\.answerHandler)\(|(?:export (?:const|(?:async )?function) |^exports\.)(handler|webhook)\b/gm

/** What runs examples here, what shows how a team gets to them, and tests of users. */
const OTHERS =
  /(?:^|\/)(?:run|local|demo|broken|quiet|rows|migrating)\b|\.test\.|\.nodetest\.|\.jest\./

/** Every handler under examples/, as serverless.yml would name it. */
export function lambdas(): string[] {
  const folder = join(ROOT, 'examples')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|cjs)$/.test(file) && !OTHERS.test(file))
    .toSorted()
  return files.flatMap((file) => {
    const matches = readFileSync(join(folder, file), 'utf8').matchAll(HANDLER)
    const names = [...matches].map(([, made, named]) => made ?? named)
    return names.map((name) => `examples/${file.replace(/\.\w+$/, '')}.${name}`)
  })
}
