"""Made-up tokens of common services, each in the shape that its developers document."""

import base64
import json
import random
import string

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
HEX = DIGITS + "abcdef"
WORD = string.ascii_letters + DIGITS
URL_SAFE = WORD + "-_"
BASE32 = UPPER + "234567"
DICE = random.Random(7)  # noqa: S311 - made up


def of(count: int, among: str = WORD) -> str:
    """Make up a token here, so that secret scanners don't find it in this repository."""
    return "".join(DICE.choices(among, k=count))


def uuid() -> str:
    return "-".join(of(count, HEX) for count in (8, 4, 4, 4, 12))


def base64_of(count: int) -> str:
    return base64.b64encode(DICE.randbytes(count)).decode()


def json_in_base64(**fields: str) -> str:
    return base64.urlsafe_b64encode(json.dumps(fields, separators=(",", ":")).encode()).decode().rstrip("=")


JWT = f"{json_in_base64(alg='HS256', typ='JWT')}.{json_in_base64(sub='1234567890', name='Ann')}.{of(43, URL_SAFE)}"

TOKENS = {
    "1Password, service account": "ops_" + json_in_base64(signInAddress="x.1password.com", key=of(240)),
    "1Password, secret key": "-".join(("A3", *(of(count, UPPER) for count in (6, 6, 5, 5, 5, 5)))),
    "Adobe, client secret": "p8e-" + of(32, LOWER + DIGITS),
    "age": "AGE-SECRET-KEY-1" + of(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "Airtable": f"pat{of(14)}.{of(64, HEX)}",
    "Alibaba Cloud": "LTAI" + of(20),
    "Anthropic": f"sk-ant-api03-{of(93, URL_SAFE)}AA",
    "Anthropic, admin": f"sk-ant-admin01-{of(93, URL_SAFE)}AA",
    "Artifactory": "AKCp" + of(69),
    "Asana": f"ASANA_CLIENT_SECRET={of(32, HEX)}",
    "Atlassian": "ATATT3" + of(186, WORD + "_-="),
    "AWS, key id": "AKIA" + of(16, BASE32),
    "AWS, secret": f"aws_secret_access_key = {of(40, WORD + '/+')}",
    "AWS, temporary": "ASIA" + of(16, BASE32),
    "Azure AD": f"{of(3)}8Q~{of(34)}",
    "Azure storage": f"AccountName=shop;AccountKey={base64_of(64)};EndpointSuffix=core.windows.net",
    "Bitbucket, app password": "ATBB" + of(32),
    "ClickHouse Cloud": "4b1d" + of(38),
    "Clojars": "CLOJARS_" + of(60, HEX),
    "Cloudflare, token": f"CLOUDFLARE_API_TOKEN={of(40, URL_SAFE)}",
    "Cloudflare, origin CA": f"v1.0-{of(24, HEX)}-{of(146, HEX)}",
    "Cohere": f'cohere_api_key = "{of(40)}"',
    "Contentful": "CFPAT-" + of(43, URL_SAFE),
    "crates.io": "cio" + of(32),
    "Databricks": "dapi" + of(32, HEX),
    "Datadog": f"DATADOG_ACCESS_TOKEN={of(40, LOWER + DIGITS)}",
    "DigitalOcean": "dop_v1_" + of(64, HEX),
    "Discord": f"MTIz{of(20)}.{of(6)}.{of(38, URL_SAFE)}",
    "Discord, webhook": f"https://discord.com/api/webhooks/{of(18, '123456789')}/{of(68, URL_SAFE)}",
    "Docker Hub": "dckr_pat_" + of(27, URL_SAFE),
    "Doppler": "dp.pt." + of(43),
    "Dropbox": f"dropbox_token={'sl.' + of(140, URL_SAFE)}",
    "Duffel": "duffel_live_" + of(43, URL_SAFE),
    "Dynatrace": f"dt0c01.{of(24, UPPER + DIGITS)}.{of(64, UPPER + DIGITS)}",
    "EasyPost": "EZAK" + of(54),
    "Facebook": f"facebook_secret = '{of(32, HEX)}'",
    "Fastly": f"FASTLY_API_TOKEN={of(32, URL_SAFE)}",
    "Figma": f"figd_{of(40, URL_SAFE)}",
    "Fly.io": "fo1_" + of(43, URL_SAFE),
    "GitHub, personal": "ghp_" + of(36),
    "GitHub, fine-grained": f"github_pat_{of(22)}_{of(59)}",
    "GitHub, OAuth": "gho_" + of(36),
    "GitHub, app": "ghs_" + of(36),
    "GitHub, refresh": "ghr_" + of(36),
    "GitLab": "glpat-" + of(20, URL_SAFE),
    "GitLab, runner": "glrt-" + of(20, URL_SAFE),
    "GitLab, deploy": "gldt-" + of(20, URL_SAFE),
    "Google, API": "AIza" + of(35, URL_SAFE),
    "Google, OAuth secret": "GOCSPX-" + of(28, URL_SAFE),
    "Google, access": "ya29." + of(140, URL_SAFE),
    "Grafana": f"glsa_{of(32)}_{of(8, HEX)}",
    "Grafana Cloud": "glc_" + base64_of(60).replace("/", "a").replace("+", "b").rstrip("="),
    "Groq": "gsk_" + of(52),
    "HashiCorp Vault": "hvs." + of(95, URL_SAFE),
    "Heroku": "HRKU-AA" + of(58, URL_SAFE),
    "HubSpot": f"hubspot_api_key={uuid()}".upper(),
    "Hugging Face": "hf_" + of(34, string.ascii_letters),
    "JSON web token": JWT,
    "LaunchDarkly": f"launchdarkly_token={of(40, LOWER + DIGITS)}",
    "Linear": "lin_api_" + of(40),
    "Mailchimp": of(32, HEX) + "-us14",
    "Mailgun": "key-" + of(32, HEX),
    "Mapbox": f"MAPBOX_TOKEN=pk.{of(60, LOWER + DIGITS)}.{of(22, LOWER + DIGITS)}",
    "MongoDB": f"mongodb+srv://shop:{of(16)}@cluster0.abcde.mongodb.net/shop",
    "Netlify": "nfp_" + of(36),
    "New Relic": "NRAK-" + of(27, UPPER + DIGITS),
    "Notion": "ntn_" + of(11, DIGITS) + of(35),
    "npm": "npm_" + of(36),
    "npm, in .npmrc": f"//registry.example.org/:_authToken={uuid()}",
    "NuGet": "oy2" + of(43, LOWER + DIGITS),
    "OpenAI": f"sk-proj-{of(74, URL_SAFE)}T3BlbkFJ{of(74, URL_SAFE)}",
    "OpenAI, old": f"sk-{of(20)}T3BlbkFJ{of(20)}",
    "OpenRouter": "sk-or-v1-" + of(64, HEX),
    "Perplexity": "pplx-" + of(48),
    "PlanetScale": "pscale_tkn_" + of(43, URL_SAFE),
    "PostgreSQL": f"postgresql://shop:{of(14)}@db.example.org:5432/shop",
    "Postman": f"PMAK-{of(24, HEX)}-{of(34, HEX)}",
    "Pulumi": "pul-" + of(40, HEX),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + of(150, URL_SAFE),
    "Replicate": "r8_" + of(37),
    "Resend": f"re_{of(8)}_{of(24)}",
    "RubyGems": "rubygems_" + of(48, HEX),
    "SendGrid": f"SG.{of(22, URL_SAFE)}.{of(43, URL_SAFE)}",
    "Sentry": "sntryu_" + of(64, HEX),
    "Shopify": "shpat_" + of(32, HEX),
    "Slack, app": f"xapp-1-A{of(10, UPPER + DIGITS)}-{of(13, DIGITS)}-{of(64, HEX)}",
    "Slack, bot": f"xoxb-{of(12, DIGITS)}-{of(13, DIGITS)}-{of(24)}",
    "Slack, user": f"xoxp-{of(12, DIGITS)}-{of(12, DIGITS)}-{of(12, DIGITS)}-{of(32, HEX)}",
    "Slack, webhook": f"https://hooks.slack.com/services/T{of(8, UPPER + DIGITS)}/B{of(8, UPPER + DIGITS)}/{of(24)}",
    "Sourcegraph": f"sgp_{of(16, HEX)}_{of(40, HEX)}",
    "Square": "sq0atp-" + of(22, URL_SAFE),
    "Stripe": "sk_live_" + of(24),
    "Stripe, restricted": "rk_live_" + of(99),
    "Stripe, webhook": "whsec_" + of(32),
    "Supabase": "sbp_" + of(40, HEX),
    "Tailscale": f"tskey-auth-{of(17)}-{of(32)}",
    "Telegram": f"{of(10, '123456789')}:AA{of(33, URL_SAFE)}",
    "Terraform Cloud": f"{of(14)}.atlasv1.{of(65)}",
    "Twilio": "SK" + of(32, HEX),
    "Typeform": "tfp_" + of(44),
    "xAI": "xai-" + of(80),
    "Zendesk": f"zendesk_secret={of(40, LOWER + DIGITS)}",
}
"""One token per service; if it has no documented shape of its own, with the name that it usually has."""
