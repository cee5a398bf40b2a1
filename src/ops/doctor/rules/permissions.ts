import type { Deployment, Role, PolicyStatement } from '../deployment.ts'
import { IAM_PAGES, LAMBDA_PAGES, type DeliveryRule } from '../rule.ts'
import { mappedQueues } from './mappedQueues.ts'

const QUEUE = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
  'sqs:SendMessage',
]
const TABLE = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:ConditionCheckItem',
]
/** Actions that AWS allows on `*` only: https://docs.aws.amazon.com/service-authorization/latest/reference */
const WITHOUT_RESOURCES = /^(xray:|cloudwatch:PutMetricData$)/

const missing: DeliveryRule = {
  id: 'permissions-missing',
  severity: 'error',
  needs: ['mappings', 'functions', 'roles'],
  source: `${LAMBDA_PAGES}/services-sqs-configure.html`,
  check: (deployment) =>
    mappedQueues(deployment).flatMap(({ queue, function: { id, role } }) => {
      const found = deployment.roles.find((each) => each.id === role)
      if (found === undefined) return []
      const lacks = neededOf(deployment, queue.id)
        .filter(([action, on]) => !allows(found, action, on))
        .map(([action, on]) => `${action} on ${on}`)
      if (lacks.length === 0) return []
      return [
        {
          subject: found.id,
          problem: `${id} may not ${lacks.join(', ')}.`,
          consequence: 'Records fail for this reason alone until they are dead-lettered.',
          cure: `Allow ${id} these actions on these resources.`,
        },
      ]
    }),
}

function neededOf({ queues, table }: Deployment, queue: string): (readonly [string, string])[] {
  const dead = queues.find(({ id }) => id === queue)?.deadLetter?.queue
  return [
    ...QUEUE.map((action) => [action, queue] as const),
    ...(dead === undefined ? [] : [['sqs:SendMessage', dead] as const]),
    ...(table === undefined ? [] : TABLE.map((action) => [action, table.id] as const)),
  ]
}

/** Whether the role may do it, as far as ids tell; conditions are not evaluated. */
export function allows({ statements }: Role, action: string, on: string): boolean {
  const fits = ({ actions, resources }: PolicyStatement): boolean =>
    actions.some((each) => matches(each, action)) && resources.some((each) => matches(each, on))
  return (
    statements.some((each) => each.effect === 'Allow' && fits(each)) &&
    !statements.some((each) => each.effect === 'Deny' && fits(each))
  )
}

function matches(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern.toLowerCase() === text.toLowerCase()
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(text)
}

const wide: DeliveryRule = {
  id: 'permissions-wide',
  severity: 'warning',
  needs: ['roles'],
  source: `${IAM_PAGES}/best-practices.html`,
  check: ({ roles }) =>
    roles.flatMap(({ id, statements }) => {
      const too = [...new Set(statements.flatMap(widths))]
      if (too.length === 0) return []
      return [
        {
          subject: id,
          problem: `It allows ${too.join(', ')}.`,
          consequence: 'A fault in one function can reach the queues and items of all others.',
          cure: 'List the exact actions and ARNs. No consumer of Lineclear scans.',
        },
      ]
    }),
}

function widths({ effect, actions, resources }: PolicyStatement): string[] {
  if (effect === 'Deny') return []
  const wideActions = actions.filter((each) => each.includes('*') || each === 'dynamodb:Scan')
  const everywhere = resources.includes('*')
    ? actions.filter((each) => !WITHOUT_RESOURCES.test(each)).map((each) => `${each} on *`)
    : []
  return [...wideActions, ...everywhere]
}

const shared: DeliveryRule = {
  id: 'role-per-function',
  severity: 'warning',
  needs: ['functions', 'roles'],
  source: `${LAMBDA_PAGES}/lambda-intro-execution-role.html`,
  check: ({ functions, roles }) =>
    roles.flatMap(({ id }) => {
      const users = functions.filter(({ role }) => role === id)
      if (users.length < 2) return []
      return [
        {
          subject: id,
          problem: `${users.map((user) => user.id).join(', ')} share it.`,
          consequence: 'Each function has the permissions that the others need.',
          cure: 'Give each function a role of its own.',
        },
      ]
    }),
}

export const PERMISSION_RULES: readonly DeliveryRule[] = [missing, wide, shared]
