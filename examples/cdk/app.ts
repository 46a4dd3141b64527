// Alarms and dashboards of a service in a CDK app. `npm install && npm run synth` writes cdk.out/, without a
// network and without an account; `cdk deploy --app 'node app.js'` puts it there.
import * as path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';

const generated = '../../generated/mangaassist-vllm/cloudwatch/template.json';
const template = process.argv[2] ?? path.join(__dirname, generated);

const app = new App();
const stack = new Stack(app, 'Alarms');

// Every resource can be reached and changed: included.getResource('QueueOverflowAlarm').
// Parameters have the spec's ARNs as defaults; `parameters: {CriticalActions: [topic.topicArn]}` replaces them.
new CfnInclude(stack, 'Generated', { templateFile: template });

app.synth();
