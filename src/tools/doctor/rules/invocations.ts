import type { DeployedFunction, Deployment } from '../deployment.ts'
import { type DeliveryRule, LAMBDA_PAGES } from '../rule.ts'
import { allows } from './permissions.ts'

const SOURCE = `${LAMBDA_PAGES}/invocation-async-retain-records.html`

const missing: DeliveryRule = {
  id: 'failure-destination',
  severity: 'warning',
  needs: ['events', 'functions', 'roles'],
  source: SOURCE,
  check: (deployment) =>
    deployment.functions
      .filter((each) => each.onFailure === undefined && claims(deployment, each))
      .flatMap(({ id }) => {
        const by = deployment.invokers.filter((each) => each.function === id)
        if (by.length === 0) return []
        return [
          {
            subject: id,
            problem: `It is invoked by ${[...new Set(by.map((each) => each.id))].join(', ')}, and has no destination for failures.`,
            consequence:
              'An event that Lambda has tried three times is gone, and its request never ends.',
            cure: 'Set DestinationConfig.OnFailure of an AWS::Lambda::EventInvokeConfig to a queue, and alarm on it.',
          },
        ]
      }),
}

/** Whether it has requests of Lineclear: it may write the table. */
function claims({ table, roles }: Deployment, { role }: DeployedFunction): boolean {
  const own = roles.find(({ id }) => id === role)
  return table !== undefined && own !== undefined && allows(own, 'dynamodb:UpdateItem', table.id)
}

const refused: DeliveryRule = {
  id: 'failure-destination-permission',
  severity: 'error',
  needs: ['functions', 'queues', 'roles'],
  source: SOURCE,
  check: ({ functions, queues, roles }) =>
    functions.flatMap(({ id, role, onFailure }) => {
      const own = roles.find((each) => each.id === role)
      const queue = queues.find((each) => each.id === onFailure)
      if (own === undefined || queue === undefined) return []
      if (allows(own, 'sqs:SendMessage', queue.id)) return []
      return [
        {
          subject: own.id,
          problem: `${id} may not sqs:SendMessage on ${queue.id}, its destination for failures.`,
          consequence: 'Lambda cannot keep the events that failed there: they are lost.',
          cure: `Allow ${id} sqs:SendMessage on ${queue.id}.`,
        },
      ]
    }),
}

export const INVOCATION_RULES: readonly DeliveryRule[] = [missing, refused]
