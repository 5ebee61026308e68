<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM and files to MPEG-21 DIDL: identifier, oai_dc, one resource a file. Parameters: identifier (as a URI), url. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:didl="urn:mpeg:mpeg21:2002:02-DIDL-NS" xmlns:dii="urn:mpeg:mpeg21:2002:01-DII-NS" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" exclude-result-prefixes="dim">
  <xsl:include href="dc-elements.xsl"/>
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:param name="identifier"/>

  <xsl:template match="/dim:dim">
    <didl:DIDL xsi:schemaLocation="urn:mpeg:mpeg21:2002:02-DIDL-NS http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd">
      <didl:Item>
        <didl:Descriptor>
          <didl:Statement mimeType="application/xml; charset=utf-8"><dii:Identifier><xsl:value-of select="$identifier"/></dii:Identifier></didl:Statement>
        </didl:Descriptor>
        <didl:Descriptor>
          <didl:Statement mimeType="application/xml; charset=utf-8">
            <oai_dc:dc xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
              <xsl:apply-templates select="dim:field" mode="dc"/>
              <xsl:apply-templates select="." mode="link"/>
            </oai_dc:dc>
          </didl:Statement>
        </didl:Descriptor>
        <xsl:for-each select="file">
          <didl:Component><didl:Resource ref="{@url}" mimeType="{@media_type}"/></didl:Component>
        </xsl:for-each>
      </didl:Item>
    </didl:DIDL>
  </xsl:template>
</xsl:stylesheet>
