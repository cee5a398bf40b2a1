import { renamed } from './text.ts'
import { sweeper, type Tool } from './project.ts'

export const sam: Tool = {
  title: 'AWS SAM',
  packages: [],
  build: 'sam build --build-in-source',
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
}
