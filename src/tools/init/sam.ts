import type { Examples } from './examples.ts'
import { samFunction, samResources, samStage, stagesOf } from './consumerParts.ts'
import { type Addition, keysFor, sweeper, type Tool, yaml } from './project.ts'
import { found, renamed } from './text.ts'

export const sam: Tool = {
  title: 'AWS SAM',
  mark: 'template.yaml',
  needs: [
    /^ {2}LineclearTable:$/m,
    /^ {2}SweeperRole:$/m,
    /^ {2}AlarmTopic:$/m,
    /^ {8}LINECLEAR_TABLE: /m,
    /^Resources:\s*$/m,
  ],
  knownBy: ['template.yaml', 'template.yml'],
  bare: (examples) => {
    const text = examples['examples/deploy/sam/template.yaml']
    const head = found(text, /^AWSTemplateFormatVersion[^]*?(?=^Globals:\n)/m)
    return `${head}Resources:\n${samResources(examples, /^(?!Orders)/)}`
  },
  moved: withoutGlobals,
  paste:
    'into your template: what stands below Parameters and Resources of lineclear/template.yaml',
  pasteMore: (inserts) =>
    `into your template, beside what is pasted already, of lineclear/template.yaml the resources ${keysFor('Resources', inserts)}`,
  packages: [],
  // It builds in a copy that it installs without development packages. In the folder itself (--build-in-source) it would remove
  // those of the project.
  inBuild: ['esbuild'],
  build: 'sam build',
  doctor: 'lineclear doctor --template template.yaml',
  deploy: 'sam deploy --guided',
  asks: '`sam deploy` asks for the address that gets alarms.',
  leaves: ['.aws-sam', 'samconfig.toml'],
  files: (examples, names) => [
    {
      path: 'template.yaml',
      what: 'table, queue, dead letters, mapping, functions, roles, alarms',
      text: renamed(examples['examples/deploy/sam/template.yaml'], names),
    },
    sweeper(examples),
  ],
  add: {
    consumer: (examples, names) => toTemplate(renamed(samResources(examples, /^Orders/), names)),
    flow: (examples, names) => {
      const consumer = samResources(examples, /^Orders/)
      const stages = stagesOf(names).map((stage) => samStage(consumer, names, stage))
      return toTemplate(stages.join(''))
    },
    function: (examples, names) => toTemplate(samFunction(examples, names)),
  },
}

const FUNCTION = /^ {2}\w+:\n {4}Type: AWS::Serverless::Function\n(?:(?: {4}.*)?\n)*/gm
const OWN_VARIABLE = 'LINECLEAR_TABLE: !Ref LineclearTable'

/** Globals would change the functions that its author has: what they say stands in each function. */
function withoutGlobals(text: string, examples: Examples): string {
  const globals = found(
    examples['examples/deploy/sam/template.yaml'],
    /(?<=^Globals:\n {2}Function:\n)[^]*?(?= {4}Environment:)/m,
  ).replaceAll(/^ {4}/gm, '      ')
  return text.replaceAll(FUNCTION, (one) => {
    const named = one
      .replace(/^ {6}Environment: \{ Variables: \{ /m, (before) => `${before}${OWN_VARIABLE}, `)
      .replace(
        /^ {6}#Environment: \{ Variables: \{ (.*) \} \}$/m,
        `      Environment: { Variables: { ${OWN_VARIABLE} } } # and $1`,
      )
    const variables = /^ {6}Environment:/m.test(named)
      ? ''
      : `      Environment: { Variables: { ${OWN_VARIABLE} } }\n`
    return named.replace(/^ {4}Properties:\n/m, (before) => `${before}${globals}${variables}`)
  })
}

function toTemplate(text: string): Addition {
  return { files: [], inserts: [{ path: 'template.yaml', at: yaml('Resources'), text }] }
}
