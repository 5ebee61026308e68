<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM to unqualified Dublin Core as OAI-PMH has it. Parameter: url, the item's page. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:ep="http://eprints.org/ep2/data/2.0" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" exclude-result-prefixes="dim ep">
  <xsl:include href="dc-elements.xsl"/>
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>

  <xsl:template match="/dim:dim">
    <oai_dc:dc xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <xsl:apply-templates select="dim:field" mode="dc"/>
      <xsl:if test="ep:eprint/ep:refereed = 'TRUE'"><dc:type>PeerReviewed</dc:type></xsl:if>
      <xsl:apply-templates select="." mode="link"/>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
