import type { Examples } from './examples.ts'
import { edited, found, type Names, renamed } from './text.ts'
import { sweeper, type Tool } from './project.ts'

/** Deployed with osls, the resources of the SAM template are the same, but for the functions, which serverless.yml has. */
export const osls: Tool = {
  title: 'osls (Serverless Framework)',
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
      text: resources(examples, /^(?!Orders)/),
    },
    {
      path: `resources/${names.kebab}.yml`,
      what: 'queue, dead letters, role, alarms',
      text: renamed(resources(examples, /^Orders/), names),
    },
    {
      path: 'chunkNames.js',
      what: 'for serverless.yml, which says why',
      text: examples['examples/deploy/chunkNames.js'],
    },
    sweeper(examples),
  ],
}

function serverlessYml(examples: Examples, { kebab, camel, pascal }: Names): string {
  const whole = examples['serverless.yml']
  const common = edited(
    found(whole, /^service: [^]*?(?= {2}consumers:\n)/m),
    ['service: lineclear', `service: ${kebab}`],
    [/ {4}# Who called what[^]*?(?=\nplugins)/g, ''],
    [/ {4}# Only here[^]*?(?= {4}mainFields)/g, ''],
    ['examples/deploy/', ''],
    ['&timeout ', ''],
    ['\nplugins:', '\nparams: { default: { alarmEmail: oncall@example.com } }\n\nplugins:'],
  )
  const consumer = edited(
    found(whole, /^ {2}addresses:\n(?: {4}.*\n)+/m),
    ['examples/timestamp-guard/handler.', `src/${kebab}.`],
    ['  addresses:', `  ${camel}:`],
    ['addresses', kebab],
    ['Addresses', pascal],
  )
  const ends = edited(found(whole, /^ {2}sweeper:\n(?: {4}.*\n)+/m), ['examples/deploy/', 'src/'])
  return `# \`npx osls deploy\`. What a function needs besides stands in resources.
${common}functions:
${consumer}${ends}
resources:
  - \${file(./resources/lineclear.yml)}
  - \${file(./resources/${kebab}.yml)}
`
}

/** Their functions and log groups osls makes itself, under names of its own. */
function resources(examples: Examples, wanted: RegExp): string {
  const [, all = ''] = examples['examples/deploy/sam/template.yaml'].split(/^Resources:\n/m)
  const sections = all.match(/(?: {2}#.*\n)*^ {2}\w+:\n(?:(?: {3}.*)?\n)*/gm) ?? []
  const kept = sections.filter((section) => {
    const name = found(section, /(?<=^ {2})\w+(?=:)/m)
    return wanted.test(name) && !/^(?:Orders|Sweeper)(?:Function|Logs)$/.test(name)
  })
  const text = kept
    .join('')
    .replaceAll(/!Ref (\w+)Function\b/g, '!Ref $1LambdaFunction')
    .replaceAll('Logs.Arn', 'LogGroup.Arn')
    .replaceAll('OrdersFunctionQueue', 'OrdersEventSourceMappingSQSOrdersQueue')
    .replaceAll('!Ref AlarmEmail', "'${param:alarmEmail}'")
  return `Resources:\n${text}`
}
