import { CALL_TABLE_ACTIONS, QUEUE_ACTIONS } from '../../actions.ts'
import type { DeployedFunction, Deployment, PolicyStatement, Role } from '../deployment.ts'
import { type DeliveryRule, IAM_PAGES, LAMBDA_PAGES, rule, type Severity } from '../rule.ts'
import { NETWORK_ACTIONS } from '../template/readPolicies.ts'
import { mappedQueues, roleOf } from './mappedQueues.ts'
import { ownershipOf, ownTable, usesLineclear } from './ownership.ts'

/** Actions that AWS allows on `*` only: https://docs.aws.amazon.com/service-authorization/latest/reference */
const WITHOUT_RESOURCES =
  /^(xray:|ec2:|cloudwatch:PutMetricData$|dynamodb:List|sqs:ListQueues$|sns:(ListTopics|GetSubscriptionAttributes)$|lambda:List(EventSourceMappings|Functions)$|s3:ListAllMyBuckets$|kms:List)/

const missing = rule({
  id: 'permissions-missing',
  severity: 'error',
  needs: ['mappings', 'functions', 'roles'],
  source: `${LAMBDA_PAGES}/services-sqs-configure.html`,
  find: (deployment) =>
    mappedQueues(deployment)
      .filter((mapped) => usesLineclear(deployment, mapped.function))
      .flatMap(({ queue, function: user }) => {
        const found = roleOf(deployment, user)
        if (found === undefined) return []
        const lacks = neededOf(deployment, user, queue.id).filter(
          ([action, on]) => !allows(found, action, on),
        )
        if (lacks.length === 0) return []
        const { id, unread } = found
        const severity: Severity = mayAllow(found, lacks) ? 'question' : 'error'
        return [{ id, user: user.id, lacks, unread, severity }]
      }),
  problem: ({ user, lacks, unread }) =>
    `${user} may not ${inWords(lacks)}${unread.length === 0 ? '' : `, unless ${unread.join(' or ')} allows it`}.`,
  consequence: 'Records fail for this reason alone until they are dead-lettered.',
  cure: ({ user }) => `Allow ${user} these actions on these resources.`,
})

const called = rule({
  id: 'permissions-called',
  severity: 'question',
  needs: ['mappings', 'functions', 'table', 'roles'],
  source: `${IAM_PAGES}/access_policies.html`,
  find: (deployment) =>
    deployment.functions
      .filter(({ id }) => !isInvoked(deployment, id))
      .filter((each) => usesLineclear(deployment, each))
      .flatMap((user) => {
        const [table, found] = [ownTable(deployment, user), roleOf(deployment, user)]
        if (table === undefined || found === undefined) return []
        const lacks = ANSWERS.filter((action) => !allows(found, action, table.id))
        // What may only read shows states, and needs no more.
        const readsOnly =
          !lacks.includes('dynamodb:GetItem') && WRITES.every((each) => lacks.includes(each))
        if (lacks.length === 0 || readsOnly) return []
        return [
          { id: found.id, user: user.id, lacks: lacks.map((each): Needed => [each, table.id]) },
        ]
      }),
  problem: ({ user, lacks }) =>
    `${user} has a mark of Lineclear, no queue, schedule or event calls it, and it may not ${inWords(lacks)}.`,
  consequence:
    'If its handler calls flow.answer, or is one of idempotent, invocationHandler or lockTokens, each call fails.',
  cure: ({ user }) =>
    `Allow ${user} these actions on the table (grantAnswer or table.grantCalls of lineclear/cdk). If it only starts flows or sends, none is needed.`,
})

/** A job on a schedule often has LINECLEAR_TABLE only because all functions of its stack have. */
function isInvoked({ mappings, invokers, schedules }: Deployment, id: string): boolean {
  return schedules.includes(id) || [...mappings, ...invokers].some((each) => each.function === id)
}

const WRITES = ['dynamodb:PutItem', 'dynamodb:UpdateItem']
/** What each kind of call needs; flow.answer for several keys also reads in batches. */
const ANSWERS = ['dynamodb:GetItem', ...WRITES]

type Needed = readonly [action: string, on: string]

/** Whether a policy that could not be read, or a resource that is known only when it is deployed, may allow it. */
function mayAllow({ statements, unread }: Role, lacks: readonly Needed[]): boolean {
  const open = statements.filter(({ resources }) =>
    resources.some((each) => each.includes('${') || /^arn:.*\*/.test(each)),
  )
  return (
    unread.length > 0 ||
    lacks.every(([action]) =>
      open.some(({ actions }) => actions.some((each) => matches(each, action))),
    )
  )
}

function inWords(lacks: readonly Needed[]): string {
  return [...Map.groupBy(lacks, ([, on]) => on)]
    .map(([on, needed]) => `${needed.map(([action]) => action).join(', ')} on ${on}`)
    .join('; ')
}

function neededOf(deployment: Deployment, user: DeployedFunction, queue: string): Needed[] {
  const table = ownTable(deployment, user)
  const dead = deployment.queues.find(({ id }) => id === queue)?.deadLetter?.queue
  return [
    ...QUEUE_ACTIONS.map((action): Needed => [action, queue]),
    ...(dead === undefined ? [] : [['sqs:SendMessage', dead] satisfies Needed]),
    ...(table === undefined ? [] : CALL_TABLE_ACTIONS.map((action): Needed => [action, table.id])),
  ]
}

/** Whether the role may do it, as far as ids show; conditions are not evaluated. */
export function allows({ statements }: Role, action: string, on: string): boolean {
  const fits = ({ actions, resources }: PolicyStatement): boolean =>
    actions.some((each) => matches(each, action)) &&
    resources.some((each) => matches(each, on) || isEveryOne(each, serviceOf(action)))
  return (
    statements.some((each) => each.effect === 'Allow' && fits(each)) &&
    !statements.some((each) => each.effect === 'Deny' && fits(each))
  )
}

/** Such as `arn:aws:sqs:*` or `arn:aws:dynamodb:*:*:table/*`. Ids have no Region and no account, so these are not compared. */
function isEveryOne(pattern: string, service: string): boolean {
  return new RegExp(String.raw`^arn:.+:${service}:(\*|.*:(table/)?\*)$`).test(pattern)
}

function serviceOf(action: string): string {
  return /^[a-z0-9]+/i.exec(action)?.[0] ?? ''
}

/** Not by a regular expression, which many `*` make exponential: each part is found at its first place after the one before. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.toLowerCase().split('*')
  const lower = text.toLowerCase()
  const last = parts.pop()
  if (last === undefined) return lower === first
  if (!lower.startsWith(first)) return false
  const at = parts.reduce((from, part) => afterPart(lower, part, from), first.length)
  return at >= 0 && lower.length - last.length >= at && lower.endsWith(last)
}

/** -1: it is not there, as little as what follows it. */
function afterPart(text: string, part: string, from: number): number {
  const at = from < 0 ? -1 : text.indexOf(part, from)
  return at < 0 ? -1 : at + part.length
}

const wide = rule({
  id: 'permissions-wide',
  severity: 'warning',
  needs: ['roles'],
  source: `${IAM_PAGES}/best-practices.html`,
  find: (deployment) =>
    deployment.roles.flatMap(({ id, statements }) => {
      const whose = usersOf(deployment, id).map((user) => ownershipOf(deployment, user))
      if (whose.length > 0 && whose.every((each) => each === 'other')) return []
      const scans = whose.includes('lineclear') && !statements.some(readsIndex)
      const too = [...new Set(statements.flatMap((each) => widths(each, scans)))]
      return too.length === 0 ? [] : [{ id, too, scans }]
    }),
  problem: ({ too }) => `It allows ${too.join(', ')}.`,
  consequence: 'A fault in one function can reach the queues and items of all others.',
  cure: ({ scans }) =>
    `List the exact actions and ARNs.${scans ? ' No consumer of Lineclear scans.' : ''}`,
})

/** Whether it lets a role look up what is due, as the sweeper's does. */
export function readsIndex({ effect, actions, resources }: PolicyStatement): boolean {
  return (
    effect === 'Allow' &&
    actions.includes('dynamodb:Query') &&
    resources.some((resource) => resource.endsWith('/index/byStatus'))
  )
}

/** What holds the messages and items of other functions. */
const STORES = /^(sqs|dynamodb):/

/** @param scans whether a scan is too wide: only the sweeper searches its table */
function widths({ effect, actions, resources, author }: PolicyStatement, scans: boolean): string[] {
  if (effect === 'Deny' || author === 'aws') return []
  const wideActions = actions.filter(
    (each) => each.includes('*') || (scans && each === 'dynamodb:Scan'),
  )
  const everywhere = actions
    .filter((each) => !WITHOUT_RESOURCES.test(each))
    .flatMap((each) =>
      resources
        .filter((on) => on === '*' || (STORES.test(each) && isEveryOne(on, serviceOf(each))))
        .map((on) => `${each} on ${on}`),
    )
  return [...wideActions, ...everywhere]
}

const shared = rule({
  id: 'role-per-function',
  severity: 'warning',
  needs: ['functions', 'roles'],
  source: `${LAMBDA_PAGES}/lambda-intro-execution-role.html`,
  find: (deployment) =>
    deployment.roles
      .map(({ id }) => ({ id, users: usersOf(deployment, id) }))
      .filter(({ users }) => users.length >= 2)
      .filter(({ users }) => users.some((each) => ownershipOf(deployment, each) !== 'other')),
  problem: ({ users }) => `${users.map(({ id }) => id).join(', ')} share it.`,
  consequence: 'Each function has the permissions that the others need.',
  cure: 'Give each function a role of its own.',
})

const inVpc = rule({
  id: 'vpc-permissions',
  severity: 'error',
  needs: ['functions', 'roles'],
  source: `${LAMBDA_PAGES}/configuration-vpc.html`,
  find: (deployment) =>
    deployment.functions
      .filter(({ vpc }) => vpc === true)
      .flatMap((user) => {
        const own = roleOf(deployment, user)
        if (own === undefined) return []
        const lacks = NETWORK_ACTIONS.filter((each) => !mayAnywhere(own, each))
        if (lacks.length === 0) return []
        const severity: Severity = own.unread.length > 0 ? 'question' : 'error'
        return [{ id: own.id, user: user.id, lacks, severity }]
      }),
  problem: ({ user, lacks }) => `${user} is in a VPC, and may not ${lacks.join(', ')}.`,
  consequence: 'Lambda refuses the function, and the deployment fails.',
  cure: 'Attach the policy of AWS service-role/AWSLambdaVPCAccessExecutionRole. Without a NAT gateway its subnets need endpoints for DynamoDB, SQS and SNS.',
})

function usersOf({ functions }: Deployment, role: string): readonly DeployedFunction[] {
  return functions.filter((each) => each.role === role)
}

function mayAnywhere({ statements }: Role, action: string): boolean {
  return statements.some(
    ({ effect, actions }) => effect === 'Allow' && actions.some((each) => matches(each, action)),
  )
}

export const PERMISSION_RULES: readonly DeliveryRule[] = [missing, called, wide, shared, inVpc]
