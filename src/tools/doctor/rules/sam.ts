import type { DeliveryRule } from '../rule.ts'

const taken: DeliveryRule = {
  id: 'taken-name',
  severity: 'error',
  needs: [],
  source:
    'https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-generated-resources.html',
  check: ({ takenNames = [] }) =>
    takenNames.map(({ id, type, maker, madeType }) => ({
      subject: id,
      problem: `It is an ${type}, and of ${maker} SAM makes an ${madeType} with the same logical id.`,
      consequence: 'SAM refuses the template, and the deployment fails.',
      cure: 'Rename the event or this resource. A queue or table that is deployed already keeps its name: another logical id is a new, empty one.',
    })),
}

export const SAM_RULES: readonly DeliveryRule[] = [taken]
