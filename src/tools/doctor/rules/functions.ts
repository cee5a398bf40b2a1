import type { DeployedFunction, Deployment } from '../deployment.ts'
import { type DeliveryRule, LAMBDA_PAGES, rule } from '../rule.ts'
import { mappedFunctions, mayRunLineclear, roleOf } from './mappedQueues.ts'
import { consumers, ownershipOf, ownTable, usesLineclear } from './ownership.ts'
import { allows } from './permissions.ts'

/** Seconds. Lambda refuses more, except on a capacity provider. */
const LONGEST = 900
/** As AWS asks of a queue: times the timeout. */
const VISIBILITY = 6
const HOUR = 3_600
/** The oldest Node.js in Lineclear's `engines`, major version. */
const LEAST_NODE = 22
/** The newest Node.js that Lambda supports, major version; nodejs26.x is a preview in November 2026. */
const LATEST_NODE = 24
const RETAIN = `${LAMBDA_PAGES}/invocation-async-retain-records.html`

export const FUNCTION_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'runtime',
    severity: 'error',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/lambda-runtimes.html`,
    find: (deployment) =>
      mappedFunctions(deployment)
        .filter((each) => !mayRunLineclear(each.runtime) || usesLineclear(deployment, each))
        .map(({ id, runtime }) => ({ id, runtime, isForeign: !mayRunLineclear(runtime) }))
        .filter(({ runtime, isForeign }) => isForeign || isOld(runtime))
        .map((wrong) => ({ ...wrong, severity: wrong.isForeign ? 'note' : 'error' }) as const),
    problem: ({ runtime, isForeign }) =>
      `Its runtime is ${runtime}, ${isForeign ? 'not Node.js' : 'which AWS has deprecated'}.`,
    consequence: ({ isForeign }) =>
      isForeign
        ? 'It is no consumer of Lineclear: what it may do with the table is not checked.'
        : `Lineclear needs Node.js ${LEAST_NODE}: the function does not start, and all its records become dead letters.`,
    cure: ({ isForeign }) =>
      isForeign
        ? 'None is needed; a consumer of Lineclear runs on nodejs24.x, or nodejs22.x until April 2027.'
        : 'Set Runtime: nodejs24.x (nodejs22.x ends in April 2027).',
  }),
  rule({
    id: 'unmarked',
    severity: 'note',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/configuration-envvars.html`,
    find: (deployment) =>
      mappedFunctions(deployment)
        .filter(({ runtime }) => mayRunLineclear(runtime))
        .map((each) => ({ id: each.id, whose: ownershipOf(deployment, each) }))
        .filter(({ whose }) => whose !== 'lineclear'),
    problem: ({ whose }) =>
      whose === 'other'
        ? 'Neither a tag lineclear:… nor LINECLEAR_TABLE marks it as a consumer of Lineclear, and its role names no table of it.'
        : 'It cannot be seen from here whether it is a consumer of Lineclear: LINECLEAR_TABLE is not among the variables that can be read.',
    consequence:
      'Rules for queues are applied to it; those for consumers of Lineclear, such as its permissions and its runtime, are not.',
    cure: 'None is needed if it does not use Lineclear. If it does, set LINECLEAR_TABLE to the name of its table, or the tag lineclear:consumer.',
  }),
  rule({
    id: 'runtime-preview',
    severity: 'warning',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/lambda-runtimes.html`,
    find: (deployment) =>
      consumers(deployment).filter(({ runtime }) => nodeOf(runtime) > LATEST_NODE),
    problem: ({ runtime }) =>
      `Its runtime is ${runtime}, a preview or one that this version does not know.`,
    consequence:
      'AWS changes a preview without notice and gives no support for it in production; Lineclear is not proven on it.',
    cure: `Set Runtime: nodejs${LATEST_NODE}.x, unless AWS lists it as supported by now.`,
  }),
  rule({
    id: 'function-timeout',
    severity: 'warning',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/configuration-timeout.html`,
    find: (deployment) =>
      consumers(deployment)
        .map(({ id, timeout: seconds = 0, instances }) => ({ id, seconds, instances }))
        .filter(({ seconds, instances }) => seconds > LONGEST && instances !== undefined),
    problem: ({ seconds }) => `Its timeout is ${seconds} s, on a capacity provider.`,
    consequence: ({ seconds }) =>
      `A record whose instance is lost keeps its claim for ${seconds} s, and its message comes back after the visibility timeout: ` +
      `${Math.round((10 * VISIBILITY * seconds) / HOUR) / 10} h, if that is six times as long. A timed-out invocation is not stopped: what it calls outside ctx is called again.`,
    cure: 'Set Timeout to what the handler needs, keep outside calls in ctx.call, and await a step (ctx.awaitStep) where the work is long.',
  }),
  rule({
    id: 'instance-concurrency',
    severity: 'warning',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/lambda-managed-instances-execution-environment.html`,
    find: (deployment) =>
      consumers(deployment).filter(({ instances }) => instances?.concurrency === 'default'),
    problem: 'It runs on a capacity provider, without PerExecutionEnvironmentMaxConcurrency.',
    consequence:
      'One process runs as many invocations at once as the default of AWS allows, dozens for Node.js. They share its memory, its ' +
      'connections and what the handler keeps outside its function: each brings a whole batch.',
    cure: 'Set PerExecutionEnvironmentMaxConcurrency to what memory, database connections and the batch size bear; 1 if the handler keeps state of a record outside its function.',
  }),
  rule({
    id: 'durable-consumer',
    severity: 'error',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/durable-invoking-esm.html`,
    find: (deployment) => consumers(deployment).filter(({ durable }) => durable === true),
    problem: 'It consumes a queue, and has a DurableConfig.',
    consequence:
      'Each delivery, a repeated one too, is a new durable execution, which replays its handler from the beginning; handlers of Lineclear are no durable functions.',
    cure:
      'Leave DurableConfig out here, and start a durable function of its own for each record, in ctx.call, with ' +
      "DurableExecutionName: ctx.idempotencyKey('start', { maxLength: 64 }).",
  }),
  rule({
    id: 'tenant-isolation',
    severity: 'error',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/tenant-isolation.html`,
    find: ({ functions, mappings, invokers }) =>
      functions
        .filter(({ tenantIsolation }) => tenantIsolation === true)
        .flatMap(({ id }) => invokedBy(id, [...mappings, ...invokers])),
    problem: ({ by }) =>
      `TenantIsolationMode is PER_TENANT, and it is invoked by ${by.join(', ')}.`,
    consequence:
      'No mapping, rule, topic or bucket names a tenant, and Lambda refuses such a function without one: no record is worked on.',
    cure: 'Leave TenancyConfig out of it (that replaces the function). Tenants share a queue fairly by MessageGroupId; where they must not share a process, give each its own queue and function.',
  }),
]

export const INVOCATION_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'failure-destination',
    severity: 'warning',
    needs: ['events', 'functions', 'roles'],
    source: RETAIN,
    find: (deployment) =>
      deployment.functions
        .filter((each) => each.onFailure === undefined && claims(deployment, each))
        .flatMap(({ id }) => invokedBy(id, deployment.invokers)),
    problem: ({ by }) =>
      `It is invoked by ${[...new Set(by)].join(', ')}, and has no destination for failures.`,
    consequence: 'An event that Lambda has tried three times is gone, and its request never ends.',
    cure: 'Set DestinationConfig.OnFailure of an AWS::Lambda::EventInvokeConfig to a queue, and alarm on it.',
  }),
  rule({
    id: 'failure-destination-permission',
    severity: 'error',
    needs: ['functions', 'queues', 'roles'],
    source: RETAIN,
    find: (deployment) =>
      deployment.functions.flatMap((each) => {
        const own = roleOf(deployment, each)
        const queue = deployment.queues.find(({ id }) => id === each.onFailure)
        if (own === undefined || queue === undefined) return []
        if (allows(own, 'sqs:SendMessage', queue.id)) return []
        return [{ id: own.id, user: each.id, queue: queue.id }]
      }),
    problem: ({ user, queue }) =>
      `${user} may not sqs:SendMessage on ${queue}, its destination for failures.`,
    consequence: 'Lambda cannot keep the events that failed there: they are lost.',
    cure: ({ user, queue }) => `Allow ${user} sqs:SendMessage on ${queue}.`,
  }),
]

function isOld(runtime: string | undefined): boolean {
  return runtime?.startsWith('nodejs') === true && nodeOf(runtime) < LEAST_NODE
}

/** Major version; 0: it has no number (0.10), or is no runtime of Node.js. */
function nodeOf(runtime = ''): number {
  return Number(/^nodejs(\d+)\.x$/.exec(runtime)?.[1] ?? 0)
}

function invokedBy(
  id: string,
  all: readonly { readonly id: string; readonly function: string }[],
): readonly { readonly id: string; readonly by: readonly string[] }[] {
  const by = all.filter((each) => each.function === id).map((each) => each.id)
  return by.length === 0 ? [] : [{ id, by }]
}

/** Whether it has requests of Lineclear: it may write the table. */
export function claims(deployment: Deployment, called: DeployedFunction): boolean {
  if (!usesLineclear(deployment, called)) return false
  const table = ownTable(deployment, called)
  const own = roleOf(deployment, called)
  return table !== undefined && own !== undefined && allows(own, 'dynamodb:UpdateItem', table.id)
}
