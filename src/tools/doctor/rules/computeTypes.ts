import type { DeployedFunction, Deployment } from '../deployment.ts'
import { type DeliveryRule, LAMBDA_PAGES, type Violation } from '../rule.ts'
import { mappedQueues, mayRunLineclear } from './mappedQueues.ts'

/** Seconds. */
const LONGEST = 900
const LONGEST_ON_INSTANCES = 5_400
/** As AWS asks of a queue: times the timeout. */
const VISIBILITY = 6
const HOUR = 3_600

const timeout: DeliveryRule = {
  id: 'function-timeout',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/configuration-timeout.html`,
  check: (deployment) =>
    consumers(deployment).flatMap(({ id, timeout: seconds, instances }) => {
      if (seconds === undefined || seconds <= LONGEST) return []
      const most = instances === undefined ? LONGEST : LONGEST_ON_INSTANCES
      return [seconds > most ? tooLong(id, seconds, most) : slow(id, seconds)]
    }),
}

function tooLong(id: string, seconds: number, most: number): Violation {
  return {
    subject: id,
    problem: `Its timeout is ${seconds} s.`,
    consequence: 'Lambda refuses the function, and the deployment fails.',
    cure: `Set Timeout to ${most} s or less; Lambda Managed Instances take up to ${LONGEST_ON_INSTANCES} s.`,
  }
}

/** Longer than any function without a capacity provider. */
function slow(id: string, seconds: number): Violation {
  const hours = Math.round((10 * VISIBILITY * seconds) / HOUR) / 10
  return {
    subject: id,
    severity: 'warning',
    problem: `Its timeout is ${seconds} s, on a capacity provider.`,
    consequence:
      `A record whose instance is lost keeps its claim for ${seconds} s, and its message comes back after the visibility timeout: ` +
      `${hours} h, if that is six times as long. A timed-out invocation is not stopped: what it calls outside ctx is called again.`,
    cure: 'Set Timeout to what the handler needs, keep outside calls in ctx.once, and await a step (ctx.awaitStep) where the work is long.',
  }
}

const concurrency: DeliveryRule = {
  id: 'instance-concurrency',
  severity: 'warning',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/lambda-managed-instances-execution-environment.html`,
  check: (deployment) =>
    consumers(deployment).flatMap(({ id, instances }) => {
      if (instances === undefined || instances.concurrency !== 'default') return []
      return [
        {
          subject: id,
          problem: 'It runs on a capacity provider, without PerExecutionEnvironmentMaxConcurrency.',
          consequence:
            'One process runs as many invocations at once as the default of AWS allows, dozens for Node.js. They share its memory, its ' +
            'connections and what the handler keeps outside its function: each brings a whole batch.',
          cure: 'Set PerExecutionEnvironmentMaxConcurrency to what memory, database connections and the batch size bear; 1 if the handler keeps state of a record outside its function.',
        },
      ]
    }),
}

const durable: DeliveryRule = {
  id: 'durable-consumer',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/durable-invoking-esm.html`,
  check: (deployment) =>
    consumers(deployment).flatMap((each) =>
      each.durable === true
        ? [
            {
              subject: each.id,
              problem: 'It consumes a queue, and has a DurableConfig.',
              consequence:
                'Each delivery, a repeated one too, is a new durable execution, which replays its handler from the beginning; handlers of Lineclear are no durable functions.',
              cure:
                'Leave DurableConfig out here, and start a durable function of its own for each record, in ctx.once, with ' +
                "DurableExecutionName: ctx.idempotencyKey('start', { maxLength: 64 }).",
            },
          ]
        : [],
    ),
}

const tenants: DeliveryRule = {
  id: 'tenant-isolation',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/tenant-isolation.html`,
  check: (deployment) =>
    deployment.functions
      .filter((each) => each.tenantIsolation === true)
      .flatMap(({ id }) => {
        const by = [...deployment.mappings, ...deployment.invokers].filter(
          (each) => each.function === id,
        )
        if (by.length === 0) return []
        return [
          {
            subject: id,
            problem: `TenantIsolationMode is PER_TENANT, and it is invoked by ${by.map((each) => each.id).join(', ')}.`,
            consequence:
              'No mapping, rule, topic or bucket names a tenant, and Lambda refuses such a function without one: no record is worked on.',
            cure: 'Leave TenancyConfig out of it (that replaces the function). Tenants share a queue fairly by MessageGroupId; where they must not share a process, give each its own queue and function.',
          },
        ]
      }),
}

/** Functions that consume a queue, and may run Lineclear. */
function consumers(deployment: Deployment): DeployedFunction[] {
  const mapped = new Set(mappedQueues(deployment).map((each) => each.function))
  return [...mapped].filter(({ runtime }) => mayRunLineclear(runtime))
}

export const COMPUTE_RULES: readonly DeliveryRule[] = [timeout, concurrency, durable, tenants]
