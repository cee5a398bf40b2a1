import { renamed } from './text.ts'
import { sweeper, type Tool } from './project.ts'

const FOLDER = 'examples/deploy/terraform'

export const terraform: Tool = {
  title: 'Terraform',
  packages: [],
  build: 'node build.ts',
  doctor:
    'terraform init && terraform plan -out plan.out && terraform show -json plan.out > plan.json && lineclear doctor --template plan.json',
  deploy: 'terraform apply plan.out',
  asks: 'Terraform asks for the address that gets alarms, or takes TF_VAR_alarm_email.',
  leaves: ['dist', '.terraform', '*.tfstate*', 'plan.out', 'plan.json'],
  files: (examples, names) => [
    {
      path: 'main.tf',
      what: 'the modules, with the names of this consumer',
      text: renamed(examples[`${FOLDER}/main.tf`], names),
    },
    {
      path: 'modules/table/main.tf',
      what: 'table and the topic of alarms',
      text: examples[`${FOLDER}/modules/table/main.tf`],
    },
    {
      path: 'modules/consumer/main.tf',
      what: 'queue, dead letters, mapping, function, role, alarms',
      text: examples[`${FOLDER}/modules/consumer/main.tf`],
    },
    {
      path: 'modules/sweeper/main.tf',
      what: 'function, schedule, role, alarms',
      text: examples[`${FOLDER}/modules/sweeper/main.tf`],
    },
    {
      path: 'build.ts',
      what: 'bundles and zips the functions',
      text: examples[`${FOLDER}/build.ts`],
    },
    sweeper(examples),
  ],
}
