import type { Examples } from './examples.ts'
import { edited, found, type Names, namesOf, renamed } from './text.ts'

/** Resources of the SAM template, as text, whose logical ids are wanted. */
export function samResources(examples: Examples, wanted: RegExp): string {
  const [, all = ''] = examples['examples/deploy/sam/template.yaml'].split(/^Resources:\n/m)
  const each = all.match(/(?: {2}#.*\n)*^ {2}\w+:\n(?:(?: {3}.*)?\n)*/gm) ?? []
  return each.filter((text) => wanted.test(found(text, /(?<=^ {2})\w+(?=:)/m))).join('')
}

/** A stage or the awaited step of the flow that `examples/cdk/delivery.ts` defines. */
interface Stage {
  readonly name: 'pack' | 'booked' | 'ship'
  /** In its project: the flow, and the stage. */
  readonly names: Names
  /** To whose queue it sends; undefined: to none. */
  readonly next: Names | undefined
  /** Partition keys with which an awaited step claims late answers, once its handler has `onLate`. */
  readonly lateKeys: readonly string[]
}

const STAGES: readonly Stage['name'][] = ['pack', 'booked', 'ship']

/** In their order. */
export function stagesOf({ kebab }: Names): readonly Stage[] {
  const named = (name: string): Names => namesOf(`${kebab}-${name}`)
  return STAGES.map((name, at) => {
    const next = STAGES[at + 1]
    const lateKeys = name === 'booked' ? [`lock#${kebab}.${name}/*`] : []
    return { name, names: named(name), next: next && named(next), lateKeys }
  })
}

/** The URLs that each function of the flow needs, in YAML. */
export function urlsOf(flow: Names): string {
  const pairs = stagesOf(flow).map(
    ({ name, names }) => `${name.toUpperCase()}_QUEUE: !Ref ${names.pascal}Queue`,
  )
  return `{ ${pairs.join(', ')} }`
}

/** What the SAM template has for one consumer, for a stage. */
export function samStage(consumer: string, flow: Names, stage: Stage): string {
  const { name, names, next, lateKeys } = stage
  const [id, of] = [names.kebab, flow.kebab]
  const keys = [`flow#${of}/*`, `await#${of}/*`, ...lateKeys]
  const text = edited(
    renamed(consumer, names),
    // Its stages have queues of their own: where a topic comes in, its consumer says.
    [/(?:^ *# From a topic.*\n.*\n)?(?:^ *#(?! \S).*\n)+/gm, ''],
    [`EntryPoints: [src/${id}.ts]`, `EntryPoints: [src/${of}.ts]`],
    [`Handler: ${id}.handler`, `Handler: ${of}.${name}`],
    ['Timeout: 30\n', `Timeout: 30\n      Environment: { Variables: ${urlsOf(flow)} }\n`],
    [/Tags: \{.*\}/g, `Tags: ${tagsOf(flow, name)}`],
    [/'lock#[^\]]*/g, keys.map((each) => `'${each}'`).join(', ')],
    [`--consumer ${id}`, `--flow ${of}`],
    [
      `- { Name: consumer, Value: ${id} }`,
      `- { Name: flow, Value: ${of} }\n        - { Name: stage, Value: ${name} }`,
    ],
  )
  if (next === undefined) return text
  const deadLetters = `!GetAtt ${names.pascal}DeadLetters.Arn`
  return edited(text, [
    `Resource: ${deadLetters}\n              -`,
    `Resource: [${deadLetters}, !GetAtt ${next.pascal}Queue.Arn]\n              -`,
  ])
}

export function tagsOf(flow: Names, stage: string): string {
  return `{ 'lineclear:flow': ${flow.kebab}, 'lineclear:stage': ${stage} }`
}

const FUNCTION = /^Orders(?:Function|Logs|Role|ErrorsAlarm|ThrottlesAlarm|DurationAlarm)$/

/** What the SAM template has for one consumer, for a function that is called directly, with the scope of its name. */
export function samFunction(examples: Examples, names: Names): string {
  const id = names.kebab
  return edited(
    renamed(samResources(examples, FUNCTION), names),
    [/^(?= {2}\w+Function:)/gm, api(names)],
    [/ {6}# By these [^]*?(?= {2}\w+Logs:)/g, route(names)],
    [/ {14}- Effect: Allow\n {16}Action:\n {18}- sqs:Rec[^]*?(?= {14}# What your)/g, calls(id)],
    [
      /!Sub '(An invocation failed as a whole. Next: )[^']*'/g,
      "'An invocation failed as a whole. Next: nothing: read its log'",
    ],
    [
      /!Sub '([^'\n]*)lineclear ls --consumer [^'\n]*'/g,
      "'Invocations come near to the timeout. Next: nothing: read its log'",
    ],
  )
}

function api({ pascal }: Names): string {
  return `  # By HTTP, signed by IAM: uncomment this, and Events below. A handler of requests: node_modules/lineclear/src/library/entries/call/README.md
  #${pascal}Api:
  #  Type: AWS::Serverless::HttpApi
  #  Properties: { Auth: { EnableIamAuthorizer: true, DefaultAuthorizer: AWS_IAM } }
`
}

function route({ kebab, pascal }: Names): string {
  return `      #Events:
      #  Post:
      #    Type: HttpApi
      #    Properties: { ApiId: !Ref ${pascal}Api, Method: POST, Path: /${kebab} }
`
}

function calls(name: string): string {
  return `              - Effect: Allow
                Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem]
                Resource: !GetAtt LineclearTable.Arn
                # The items of its own name only.
                Condition:
                  ForAllValues:StringLike:
                    dynamodb:LeadingKeys: ['key#${name}/*', 'key#${name}@*']
                  'Null': { dynamodb:LeadingKeys: 'false' }
`
}
