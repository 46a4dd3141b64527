# Alarms and dashboards of a service as a module. The generated folder is a whole module: variables, resources,
# and no provider of its own.
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0" # 6.45 with PromQL alarms or mute rules
    }
  }
}

provider "aws" {
  region = "us-east-1"
}

variable "topics" {
  type        = map(list(string))
  description = "ARNs that an alarm notifies, by severity."
  default = {
    critical = ["arn:aws:sns:us-east-1:123456789012:mangaassist-critical"]
    warning  = ["arn:aws:sns:us-east-1:123456789012:mangaassist-warning"]
  }
}

module "alarms" {
  source        = "../../generated/mangaassist-vllm/cloudwatch"
  alarm_actions = var.topics
}
