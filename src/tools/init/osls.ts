import { samFunction, samResources, samStage, stagesOf, tagsOf, urlsOf } from './consumerParts.ts'
import type { Examples } from './examples.ts'
import { type Addition, keysFor, type ProjectFile, sweeper, type Tool, yaml } from './project.ts'
import { edited, found, type Names, renamed } from './text.ts'

/** Deployed with osls, the resources of the SAM template are the same, but for the functions, which serverless.yml has. */
export const osls: Tool = {
  title: 'osls (Serverless Framework)',
  mark: 'serverless.yml',
  needs: [
    /&mapping$/m,
    /^functions:\s*$/m,
    /^resources:\s*$/m,
    /^ {2}- \$\{file\(\.\/(?:lineclear\/)?resources\/lineclear\.yml\)\}$/m,
  ],
  knownBy: ['serverless.yml', 'serverless.yaml', 'serverless.ts', 'serverless.json'],
  bare: (examples) =>
    edited(serviceOf(examples, 'yours', ['']), [
      /^# [^]*?(?=^params:)/gm,
      '# Each section goes into the section of that name of yours.\n\n',
    ]),
  moved: (text, examples) =>
    withoutProvider(text, examples)
      .replaceAll('(./resources/', '(./lineclear/resources/')
      .replaceAll('plugins: chunkNames.js', 'plugins: lineclear/chunkNames.js'),
  paste:
    'into your serverless.yml: all of lineclear/serverless.yml, section by section (params, plugins, package, custom, functions, resources). Resources of your own become one more item of the list',
  pasteMore: (inserts) =>
    `into your serverless.yml, beside what is pasted already, of lineclear/serverless.yml the functions ${keysFor('functions', inserts)}, and the item that names them below resources`,
  packages: ['osls', 'serverless-esbuild'],
  build: 'osls package',
  doctor: 'lineclear doctor --template .serverless',
  deploy: 'osls deploy',
  asks: '`params` in `serverless.yml` says who gets alarms: write your address there.',
  leaves: ['.esbuild', '.serverless'],
  files: (examples, names) => [
    {
      path: 'serverless.yml',
      what: 'functions, mapping, schedule',
      text: serverlessYml(examples, names),
    },
    {
      path: 'resources/lineclear.yml',
      what: 'table, the role and the alarms of the sweeper, and the topic of alarms',
      text: resources(samResources(examples, /^(?!Orders)/)),
    },
    ownResources(examples, names),
    {
      path: 'chunkNames.js',
      what: 'for serverless.yml, which says why',
      text: examples['examples/deploy/chunkNames.js'],
    },
    sweeper(examples),
  ],
  add: {
    consumer: (examples, names) =>
      toService(ownResources(examples, names), functionOf(examples, names)),
    flow: (examples, names) => {
      const consumer = samResources(examples, /^Orders/)
      const stages = stagesOf(names)
      const texts = stages.map((stage) => samStage(consumer, names, stage))
      const functions = stages.map(({ name, names: { kebab, camel, pascal } }) =>
        edited(
          functionOf(examples, { kebab, camel, pascal }),
          [`src/${kebab}.handler`, `src/${names.kebab}.${name}`],
          [/tags: \{.*\}/g, `tags: ${tagsOf(names, name)}\n    environment: ${urlsOf(names)}`],
        ),
      )
      const what = 'for each stage a queue, dead letters, role, alarms'
      return toService(fileOf(names, what, resources(texts.join(''))), functions.join(''))
    },
    function: (examples, names) =>
      toService(
        fileOf(names, 'its role, alarms', resources(samFunction(examples, names))),
        edited(functionOf(examples, names), [/ {4}(?:tags|events):.*\n/g, '']),
      ),
  },
}

const FUNCTION = /^ {4}handler: .*\n(?: {4}.*\n)*/gm

/** A provider of ours would change the functions that its author has: what it says of functions stands in each. */
function withoutProvider(text: string, examples: Examples): string {
  const provider = found(examples['serverless.yml'], /^provider:\n[^]*?(?=^plugins:)/m)
  const said = (key: string): string =>
    found(provider, new RegExp(`(?<=^ +${key}: (?:&\\w+ )?)[^&\\s].*$`, 'm'))
  const settings = ['runtime', 'architecture', 'memorySize', 'timeout', 'logRetentionInDays'].map(
    (key) => [key, said(key)] as const,
  )
  const variables = said('environment').slice(1, -1).trim()
  return text.replaceAll(FUNCTION, (one) => {
    const named = one.replace(/^ {4}environment: \{ /m, (before) => `${before}${variables}, `)
    const lacking = [
      ...settings,
      ['logs', said('lambda')] as const,
      ['environment', `{ ${variables} }`] as const,
    ].filter(([key]) => !named.includes(`\n    ${key}: `))
    const lines = lacking.map(([key, value]) => `    ${key}: ${value}\n`)
    return named.replace(/\n/, () => `\n${lines.join('')}`)
  })
}

/** Renamed last: `resources` would take a name that ends in `-function` for a function. */
function ownResources(examples: Examples, names: Names): ProjectFile {
  const text = renamed(resources(samResources(examples, /^Orders/)), names)
  return fileOf(names, 'queue, dead letters, role, alarms', text)
}

function fileOf({ kebab }: Names, what: string, text: string): ProjectFile {
  return { path: `resources/${kebab}.yml`, what, text }
}

function toService(made: ProjectFile, functions: string): Addition {
  return {
    files: [made],
    inserts: [
      { path: 'serverless.yml', at: yaml('functions'), text: functions },
      { path: 'serverless.yml', at: yaml('resources'), text: `  - \${file(./${made.path})}\n` },
    ],
  }
}

function serverlessYml(examples: Examples, names: Names): string {
  return serviceOf(examples, names.kebab, [functionOf(examples, names), names.kebab])
}

/** @param consumer its function, and the file of its resources; none: the sweeper alone */
function serviceOf(
  examples: Examples,
  name: string,
  [functions, file]: readonly [functions: string, file?: string],
): string {
  const whole = examples['serverless.yml']
  const common = edited(
    found(whole, /^service: [^]*?(?= {2}consumers:\n)/m),
    ['service: lineclear', `service: ${name}`],
    [/ {4}# Who called what[^]*?(?=\nplugins)/g, ''],
    [/ {4}# Only here[^]*?(?= {4}mainFields)/g, ''],
    ['examples/deploy/', ''],
    ['&timeout ', ''],
    ['\nplugins:', '\nparams: { default: { alarmEmail: oncall@example.com } }\n\nplugins:'],
  )
  const ends = edited(found(whole, /^ {2}sweeper:\n(?: {4}.*\n)+/m), ['examples/deploy/', 'src/'])
  return `# \`npx osls deploy\`. What a function needs besides stands in resources.
${common}functions:
${functions}${ends}
resources:
  - \${file(./resources/lineclear.yml)}
${file === undefined ? '' : `  - \${file(./resources/${file}.yml)}\n`}`
}

function functionOf(examples: Examples, { kebab, camel, pascal }: Names): string {
  return edited(
    found(examples['serverless.yml'], /^ {2}addresses:\n(?: {4}.*\n)+/m),
    ['examples/timestamp-guard/handler.', `src/${kebab}.`],
    ['  addresses:', `  ${camel}:`],
    ['addresses', kebab],
    ['Addresses', pascal],
  )
}

/** Without functions and log groups, which osls makes itself, under names of its own. */
function resources(sam: string): string {
  const text = sam
    .replaceAll(/(?: {2}#.*\n)*^ {2}\w+(?:Function|Logs):\n(?:(?: {3}.*)?\n)*/gm, '')
    .replaceAll(/!Ref (\w+)Function\b/g, '!Ref $1LambdaFunction')
    .replaceAll('Logs.Arn', 'LogGroup.Arn')
    .replaceAll(/(\w+)FunctionQueue\b/g, '$1EventSourceMappingSQS$1Queue')
    .replaceAll('!Ref AlarmEmail', "'${param:alarmEmail}'")
  return `Resources:\n${text}`
}
