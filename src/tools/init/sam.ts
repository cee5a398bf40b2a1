import { samFunction, samResources, samStage, stagesOf } from './consumerParts.ts'
import { type Addition, sweeper, type Tool, yaml } from './project.ts'
import { renamed } from './text.ts'

export const sam: Tool = {
  title: 'AWS SAM',
  mark: 'template.yaml',
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

function toTemplate(text: string): Addition {
  return { files: [], inserts: [{ path: 'template.yaml', at: yaml('Resources'), text }] }
}
